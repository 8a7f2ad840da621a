// SPDX-License-Identifier: Apache-2.0
//
// Judges if memory leaks, from two curves over the slices of the run. One is the memory held at
// the end of each slice. The other is the part of the memory held at the end of the last slice
// that was acquired in each slice.
//
//                   held                born (alive at the end)
//   leak            ╱                   ▂▂▂▂▂▂▂▂▂▂   blocks of all times stay
//   cache           ╱▔▔▔                ▆▆▆▆______   no new blocks; or, if it evicts,
//   LRU             ╱▔▔▔                _______▆▆▆   no old blocks are left
//   periodic        ╱╲╱╲╱╲              ________▆▆   old blocks go; all held memory goes at times
//   warm-up         ▔▔▔▔▔▔              █_________   early blocks stay
//
// So a leak is found by its survivors. A working set a thousand times as large has none. The slope
// of the held memory does not decide, because held memory also rises by chance. Nothing here
// assumes a distribution: the judgement uses shares, medians, and counts of slices
// (docs/use/leaks.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "analyzer/growth/growth_curve.h"
#include "analyzer/model/estimate.h"

namespace memtrace::analyzer {

enum class Verdict : uint8_t {
    leak,      // grows steadily, to the end
    growing,   // grows, and may be a leak: not sure
    loaded,    // grew steadily, and the program went on without any more of it
    bounded,   // grows, and a library bounds it (known_bounded.h)
    cache,     // grew until it was full, or evicts old blocks
    warm_up,   // has held its memory since early on
    periodic,  // comes and goes
    steady,    // about the same all the time, or nothing
};
// True for what grows to the end: leak, growing.
inline bool is_growth(Verdict verdict) {
    return verdict == Verdict::leak || verdict == Verdict::growing;
}
std::string_view word_of(Verdict verdict);  // "leak", "warm-up", ...

struct Judgement {
    Verdict verdict = Verdict::steady;
    double confidence = 0;  // that `verdict` is right, 0 to 1
    size_t since = 0;       // the slice at whose beginning the growth begins
    size_t until = 0;       // the slice at whose end the growth ends
    double grown_bytes = 0;
    double grown_blocks = 0;
    bool too_few = false;  // It has too few survivors by itself; a group may have enough.
    std::string why;
};

// Returns true if the program did the same work before and after the end of `slice`, from slice
// `since` on.
using SameWork = std::function<bool(size_t since, size_t slice)>;

Judgement judge(const Curve& curve, const SameWork& same_work);

// ---- how fast a finding or a space grows, and what a space as a whole does
// ------------------------

struct GrowthRate {
    double bytes_per_step = 0;  // 0 if the run is not cut by steps
    double blocks_per_step = 0;
    double bytes_per_hour = 0;
    double blocks_per_hour = 0;
    double low = 0;   // bounds of the rate with 95 % confidence, in bytes
    double high = 0;  // per step if the run is cut by steps, else per hour

    GrowthRate& operator+=(const GrowthRate& other) {
        bytes_per_step += other.bytes_per_step;
        blocks_per_step += other.blocks_per_step;
        bytes_per_hour += other.bytes_per_hour;
        blocks_per_hour += other.blocks_per_hour;
        low += other.low;
        high += other.high;
        return *this;
    }
};

// Widens the bounds to those of a curve that rose by `grown` bytes and is itself an estimate.
inline void widen(GrowthRate& rate, uint64_t grown, uint64_t interval) {
    if (grown == 0) return;
    const EstimateRange range = estimate_range(grown, interval);
    rate.low *= static_cast<double>(range.low) / static_cast<double>(grown);
    rate.high *= static_cast<double>(range.high) / static_cast<double>(grown);
}

// A space as a whole. It leaks only if one of its findings is a leak.
struct SpaceGrowth {
    std::string space;
    Verdict verdict = Verdict::steady;
    GrowthRate rate;  // of all leaks in the space
    // Of the space itself, if it grows as a whole and none of its call sites does.
    GrowthRate unplaced;
    uint64_t held_bytes = 0;
    std::string why;
};

}  // namespace memtrace::analyzer
