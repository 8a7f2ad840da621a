// SPDX-License-Identifier: Apache-2.0
//
// The figures of all phases in one space, in one pass, however often phases begin and end.
//
// Most figures are differences between two moments. Two are not:
//
//   * The peak of a phase. Each open phase owns a part of the time since it began, up to the begin
//     of the next phase that is still open. An event updates only the last part. A phase that ends
//     passes its part on to the phase before it.
//
//       begin A          begin B         end B               end A
//       |-- part of A --|-- part of B --|- - - A goes on - -|   A: the maximum of all parts
//
//   * The blocks that a phase leaves. Blocks are counted by the piece of time in which they were
//     acquired, between two moments at which a phase began or ended (live_since.h). The parts of a
//     group's block are counted by their numbers: they come and go with the same one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/model/phase_model.h"
#include "analyzer/phases/live_since.h"
#include "analyzer/spaces/space_observer.h"

namespace memtrace::analyzer {

class PhaseSpace final : public SpaceObserver {
public:
    // Counts only memory of these sites (by number). A peak is then what they held when the whole
    // space was at its peak. Call before the first event.
    void count_only(const std::vector<bool>& sites) { sites_ = &sites; }

    void open(uint32_t phase, uint64_t time);
    void close(uint32_t phase);

    // Call after the last event. The time of the peak is in ticks.
    PhaseFigures figures(uint32_t phase) const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.allocations_, self.frees_, self.allocated_bytes_, self.live_bytes_,
             self.whole_bytes_, self.newest_, self.live_, self.group_parts_, self.parts_,
             self.accounts_);
    }

private:
    struct Part {
        uint32_t phase;
        uint64_t peak_bytes;  // of the whole space
        uint64_t peak_time;
        uint64_t counted_bytes;  // what the counted sites held then
    };
    // A part of a group's block.
    struct GroupPart {
        uint64_t bytes = 0;
        uint64_t moved = 0;  // bytes that blocks have taken over
    };
    struct Stretch {
        uint64_t first, last;  // numbers of acquisitions: after `first`, up to `last`
    };
    struct Account {
        PhaseFigures sums;
        bool was_open = false;
        uint64_t peak_bytes = 0;   // of the whole space
        uint64_t allocations = 0;  // of the space when the phase began, like the next three
        uint64_t frees = 0;
        uint64_t allocated_bytes = 0;
        uint64_t newest = 0;
        std::vector<Stretch> stretches;  // stretches that left blocks
        size_t pruned = 0;               // number of stretches left when they were last searched

        static void state(auto& self, auto& each) {
            each(self.sums, self.was_open, self.peak_bytes, self.allocations, self.frees,
                 self.allocated_bytes, self.newest, self.stretches, self.pruned);
        }
    };

    void acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) override;
    void released(const ObservedChange& change, bool is_temporary) override;
    bool counts(const ObservedChange& change) const {
        return sites_ == nullptr || (change.site < sites_->size() && (*sites_)[change.site]);
    }
    Account& account(uint32_t phase);
    void keep(Account& account);
    void change_group(const ObservedChange& change, bool grows);
    // What is alive of the acquisitions after `first`, up to `last`.
    LiveSince::Sum alive(uint64_t first, uint64_t last) const;
    bool has_moved(uint64_t first, uint64_t last) const;

    uint64_t allocations_ = 0;
    uint64_t frees_ = 0;
    uint64_t allocated_bytes_ = 0;
    uint64_t live_bytes_ = 0;
    uint64_t whole_bytes_ = 0;  // the same of all sites
    const std::vector<bool>* sites_ = nullptr;
    uint64_t newest_ = 0;  // number of the last acquisition
    LiveSince live_;
    std::map<uint64_t, GroupPart> group_parts_;  // by number
    std::vector<Part> parts_;                    // in the order of their begins
    std::vector<Account> accounts_;              // by phase
};

}  // namespace memtrace::analyzer
