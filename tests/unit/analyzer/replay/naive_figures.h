// SPDX-License-Identifier: Apache-2.0
//
// The figures of any part of a run, computed from all that naive_replay.h remembers. A part is a
// list of stretches of moments:
//
//   moments            0 1 2 3 4 5 6 7 8 9
//   whole recording    ├───────────────────┤    one stretch, from moment 0 to behind the last
//   phase "load"           ├───┤     ├─┤        one stretch for each time that it was open
//   mark "halfway"               │              a stretch without a moment inside
//
// A range of times is one stretch too: from before(A) to before(B) + 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/phases/phase_names.h"
#include "tests/unit/analyzer/replay/naive_replay.h"

namespace memtrace::test {

// Moments (first, last): the events of a stretch are those after `first` and before `last`.
struct Stretch {
    size_t first = 0;
    size_t last = 0;
};

// What was alive at a moment.
struct Held {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
};

struct NaivePart {
    analyzer::Totals all;
    std::map<std::string, analyzer::Totals> sites;   // those with any figure
    std::map<std::string, analyzer::Totals> labels;  // the same
    // Part of the sites: "3 site 5" is what thread 3 acquired at site 5.
    std::map<std::string, analyzer::Totals> of_threads;
    uint64_t peak_time = 0;
    Held begin;   // when the first stretch began
    Held end;     // when the last one ended
    Held leaked;  // part of live_*: alive at the end of the recording
};

struct NaivePhase {
    bool is_open = false;  // at the end of the recording
    uint64_t occurrences = 0;
    uint32_t depth = 0;
    std::vector<Stretch> stretches;
    uint64_t time = 0;  // in all stretches
};

class NaiveFigures {
public:
    explicit NaiveFigures(const NaiveReplay& replay) : replay_(replay) { count_held(); }

    std::vector<Stretch> whole() const { return {{0, replay_.end()}}; }

    // The phase that consists of all ranges and marks for which this is true.
    template <class IsIts>
    NaivePhase phase(IsIts&& is_its) const {
        NaivePhase result;
        for (const NaiveReplay::Range& range : replay_.ranges()) {
            if (!is_its(range)) continue;
            if (result.occurrences++ == 0) result.depth = range.depth;
            const bool is_open = range.last == NaiveReplay::never;
            result.is_open |= is_open;
            const Stretch one{range.first, is_open ? replay_.end() : range.last};
            std::vector<Stretch>& all = result.stretches;
            // Ranges come in the order of their begins. Those that overlap become one.
            if (!all.empty() && one.first < all.back().last)
                all.back().last = std::max(all.back().last, one.last);
            else all.push_back(one);
        }
        for (const Stretch& one : result.stretches)
            result.time += replay_.time(one.last) - replay_.time(one.first);
        return result;
    }

    // The figures of a space as if the recording were only these stretches. `work_end` is the
    // moment at which Totals::held_* count; never: each stretch's end.
    NaivePart part(const std::string& space, const std::vector<Stretch>& stretches,
                   size_t work_end = NaiveReplay::never) const {
        NaivePart result;
        size_t peak = stretches.front().first;
        for (const Stretch& stretch : stretches) {
            for (size_t at = stretch.first; at == stretch.first || at < stretch.last; ++at) {
                for (const auto& [key, held] : held_.at(space)[at]) {
                    uint64_t& most = totals(result, key).own_peak_bytes;
                    most = std::max(most, held.bytes);
                }
                if (held(space, at).bytes > held(space, peak).bytes) peak = at;
            }
        }
        for (const auto& [key, held] : held_.at(space)[peak]) {
            totals(result, key).at_peak_blocks = held.blocks;
            totals(result, key).at_peak_bytes = held.bytes;
        }
        result.peak_time = replay_.time(peak);
        result.begin = held(space, stretches.front().first);
        result.end = held(space, stretches.back().last - 1);
        for (const NaiveReplay::Block& block : replay_.blocks()) {
            if (block.space != space) continue;
            for (const Stretch& stretch : stretches) add(result, block, stretch, work_end);
        }
        const auto is_empty = [](const auto& entry) { return !has_anything(entry.second); };
        std::erase_if(result.sites, is_empty);
        std::erase_if(result.labels, is_empty);
        std::erase_if(result.of_threads, is_empty);
        return result;
    }

    // `key`: "" is the space, "site 3" a site, "label file" a class, "thread 3 site 5" a part.
    Held held(const std::string& space, size_t moment, const std::string& key = "") const {
        const auto& at = held_.at(space)[moment];
        const auto found = at.find(key);
        return found == at.end() ? Held{} : found->second;
    }

    static std::vector<std::string> keys_of(const NaiveReplay::Block& block) {
        std::vector<std::string> keys{
            "", "site " + block.site,
            "thread " + std::to_string(block.thread) + " site " + block.site};
        if (!block.label.empty()) keys.push_back("label " + block.label);
        return keys;
    }

private:
    static bool has_anything(const analyzer::Totals& totals) {
        return totals.allocations != 0 || totals.frees != 0 || totals.at_peak_blocks != 0 ||
               totals.own_peak_bytes != 0;
    }

    static analyzer::Totals& totals(NaivePart& part, const std::string& key) {
        if (key.empty()) return part.all;
        if (key.starts_with("site ")) return part.sites[key.substr(5)];
        return key.starts_with("thread ") ? part.of_threads[key.substr(7)]
                                          : part.labels[key.substr(6)];
    }

    static void add(NaivePart& part, const NaiveReplay::Block& block, const Stretch& stretch,
                    size_t work_end) {
        const auto is_in = [&](size_t at) { return stretch.first < at && at < stretch.last; };
        const bool is_fresh = is_in(block.born);
        for (const std::string& key : keys_of(block)) {
            analyzer::Totals& sums = totals(part, key);
            sums.frees += is_in(block.ended);
            if (!is_fresh) continue;
            sums.allocations += 1;
            sums.allocated_bytes += block.sizes.front().second;
            sums.temporary += is_in(block.ended) && block.is_temporary;
            // What happens at `last` does not belong to the stretch.
            if (block.is_alive(stretch.last - 1)) {
                sums.live_blocks += 1;
                sums.live_bytes += block.bytes(stretch.last - 1);
            }
            const size_t end = std::min(work_end, stretch.last - 1);
            if (block.is_alive(end)) {
                sums.held_blocks += 1;
                sums.held_bytes += block.bytes(end);
            }
        }
        if (!is_fresh || block.ended != NaiveReplay::never) return;
        part.leaked.blocks += 1;
        part.leaked.bytes += block.bytes(NaiveReplay::never);
    }

    void count_held() {
        for (const char* space : {"host", "mmap", "python"}) {
            auto& moments = held_[space];
            moments.resize(replay_.end());
            for (const NaiveReplay::Block& block : replay_.blocks()) {
                if (block.space != space) continue;
                const std::vector<std::string> keys = keys_of(block);
                for (size_t at = 0; at < replay_.end(); ++at) {
                    if (!block.is_alive(at)) continue;
                    for (const std::string& key : keys) {
                        moments[at][key].blocks += 1;
                        moments[at][key].bytes += block.bytes(at);
                    }
                }
            }
        }
    }

    const NaiveReplay& replay_;
    // By space, moment and key.
    std::map<std::string, std::vector<std::map<std::string, Held>>> held_;
};

}  // namespace memtrace::test
