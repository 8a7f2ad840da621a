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

}  // namespace memtrace::analyzer
