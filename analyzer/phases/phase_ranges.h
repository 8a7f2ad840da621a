// SPDX-License-Identifier: Apache-2.0
//
// Matches each range end with its begin.
//
//   scope thread     the innermost range of that thread and domain: NVTX's push and pop
//   scope process    the range of that number, else the last range of that name, of any thread
//
// An end without a begin is counted and otherwise ignored. The recording may have started in the
// middle of the program, the program may have forked, or it may be wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class PhaseRanges {
public:
    // `phase` is the number that end() returns for this range. Returns how many ranges begun by
    // this thread were open.
    uint32_t begin(const Mark& mark, const std::string& full_name, uint32_t thread, uint32_t phase);
    std::optional<uint32_t> end(const Mark& mark, const std::string& full_name, uint32_t thread);

    uint32_t open_of(uint32_t thread) const;
    // The number of this thread, which has ended, is that of another one from here on. Its ranges
    // of scope thread can end no more.
    void forget_thread(uint32_t thread);
    uint64_t unpaired_ends() const { return unpaired_ends_; }

    // Calls each(phase, count) for the ranges that are open.
    template <class Each>
    void for_each_open(Each&& each) const {
        for (const auto& [thread, phases] : of_threads_) {
            for (const uint32_t phase : phases) each(phase, 1);
        }
        for (const auto& [key, ranges] : by_key_) {
            for (const Range& range : ranges) each(range.phase, 1);
        }
        for (const auto& [phase, count] : endless_) each(phase, count);
    }

    // Gives each range that is open another number: phase_of(number it has).
    template <class PhaseOf>
    void renumber_open(PhaseOf&& phase_of) {
        for (auto& [thread, phases] : of_threads_) {
            for (uint32_t& phase : phases) phase = phase_of(phase);
        }
        for (auto& [key, ranges] : by_key_) {
            for (Range& range : ranges) range.phase = phase_of(range.phase);
        }
        for (const auto& [phase, count] : std::exchange(endless_, {}))
            endless_[phase_of(phase)] += count;
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.of_threads_, self.by_key_, self.open_, self.endless_, self.unpaired_ends_);
        each.check(
            [&] {
                const auto has_one = [](const auto& entry) { return !entry.second.empty(); };
                return std::all_of(self.of_threads_.begin(), self.of_threads_.end(), has_one) &&
                       std::all_of(self.by_key_.begin(), self.by_key_.end(), has_one);
            },
            "a range in it has no phase");
    }

private:
    struct Range {
        uint32_t phase;
        uint32_t thread;
    };
    static constexpr uint32_t nobody = 0xffffffff;
    static std::string key_of(const Mark& mark, const std::string& full_name);

    // Phases by thread and domain, innermost last.
    std::map<std::pair<uint32_t, std::string>, std::vector<uint32_t>> of_threads_;
    std::map<std::string, std::vector<Range>> by_key_;
    std::map<uint32_t, uint32_t> open_;     // number of open ranges, by thread
    std::map<uint32_t, uint64_t> endless_;  // ranges that nothing can end any more, by phase
    uint64_t unpaired_ends_ = 0;
};

}  // namespace memtrace::analyzer
