// SPDX-License-Identifier: Apache-2.0
//
// The histories of the sites of one space (site_history.h), while the run is replayed. Where its
// slices end is only known at the end, so figures are kept for cuts (history_cuts.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/spaces/packed_points.h"
#include "analyzer/spaces/run_history.h"

namespace memtrace::analyzer {

class SpaceHistory final : public CutKeeper {
public:
    explicit SpaceHistory(RunHistory& run) : run_(run), index_(run.add(this)) {}
    SpaceHistory(const SpaceHistory&) = delete;
    SpaceHistory& operator=(const SpaceHistory&) = delete;

    uint32_t index() const { return index_; }

    // ---- every change ----

    // `numbers`: by how much the acquisition raised the space's newest number. `taken`: the bytes
    // that count as allocated.
    void acquired(uint32_t site, uint64_t bytes, uint64_t blocks, uint64_t numbers,
                  uint64_t taken) {
        run_.change({index_, site, 0, numbers, static_cast<int64_t>(bytes),
                     static_cast<int64_t>(blocks), taken});
    }
    // `number`: of the acquisition; 0: none.
    void released(uint32_t site, uint64_t bytes, uint64_t blocks, uint64_t number) {
        run_.change({index_, site, number, 0, -static_cast<int64_t>(bytes),
                     -static_cast<int64_t>(blocks), 0});
    }

    // ---- cuts ----

    // Sums of changes, for the whole space or for one site.
    struct Change {
        uint32_t site = 0;
        uint64_t bytes = 0;  // may be negative, modulo 2^64
        uint64_t blocks = 0;
        uint64_t allocations = 0;
        uint64_t allocated_bytes = 0;
        uint64_t numbers = 0;

        Totals before(Totals now) const {
            now.live_bytes -= bytes;
            now.live_blocks -= blocks;
            now.allocations -= allocations;
            now.allocated_bytes -= allocated_bytes;
            return now;
        }
    };
    struct Changes {
        Change all;
        std::vector<Change> sites;  // in the order of sites
    };
    // Returns what these changes of all spaces changed in this one.
    Changes changes_of(std::span<const HeldChange> changes) const;

    // The space's figures at a cut. `moment`: its number (peak_tracker.h), `newest`: the number of
    // the newest acquisition.
    void end_slice(uint32_t cut, uint64_t moment, uint64_t newest, const Totals& totals) {
        ends_.push_back({moment, newest, cut});
        whole_.push_back({cut, totals.live_bytes, totals.live_blocks, totals.allocations,
                          totals.allocated_bytes});
    }
    // A site's figures at the first cut after the moment `seen`, when it changed last.
    void add_point(uint32_t site, uint64_t seen, const Totals& totals) {
        const auto end = std::upper_bound(ends_.begin(), ends_.end(), seen,
                                          [](uint64_t a, const End& b) { return a < b.moment; });
        if (end != ends_.end()) add_point_at(end->cut, site, totals);
    }
    void add_point_at(uint32_t cut, uint32_t site, const Totals& totals) {
        points_.add({site, cut, totals.live_bytes, totals.live_blocks, totals.allocations,
                     totals.allocated_bytes},
                    run_.cuts());
    }
    void keep(const std::vector<uint32_t>& kept) override;
    void pack() override {
        points_.pack(run_.cuts());
        births_.pack(run_.cuts());
    }

    // ---- births ----

    std::optional<uint32_t> birth_of(uint64_t number) const override {
        if (ends_.empty() || ends_.back().newest < number) return std::nullopt;
        return std::lower_bound(ends_.begin(), ends_.end(), number,
                                [](const End& a, uint64_t b) { return a.newest < b; })
            ->cut;
    }
    void clear_births() override { births_.clear(); }
    // A block that is alive now. See RunHistory::begin_births().
    void add_birth(uint32_t site, uint64_t number, uint64_t bytes, uint64_t blocks) {
        const std::optional<uint32_t> birth = birth_of(number);
        if (birth && *birth <= run_.births_until()) add_released(site, *birth, bytes, blocks);
    }
    void add_released(uint32_t site, uint32_t birth, uint64_t bytes, uint64_t blocks) override {
        births_.add({site, birth, bytes, blocks, 0, 0}, run_.cuts());
    }

    // ---- the end ----

    // Writes the histories by the slices of RunHistory::plan() into `space`.
    void finish(Space& space);

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.ends_, self.whole_, self.points_, self.births_);
    }

private:
    struct End {
        uint64_t moment;
        uint64_t newest;
        uint32_t cut;
    };
    struct WholePoint {
        uint32_t cut;
        uint64_t bytes;
        uint64_t blocks;
        uint64_t allocations;
        uint64_t allocated_bytes;
    };

    RunHistory& run_;
    uint32_t index_;
    std::vector<End> ends_;
    std::vector<WholePoint> whole_;
    PackedPoints points_{PackedPoints::Merge::last};
    PackedPoints births_{PackedPoints::Merge::sum};
};

}  // namespace memtrace::analyzer
