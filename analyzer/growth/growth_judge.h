// SPDX-License-Identifier: Apache-2.0
//
// Does this leak? Judged by two curves over the slices of the run: what was held at the end of each
// slice, and of what is held at the end of the last one, how much was acquired in each.
//
//                   held                born (alive at the end)
//   leak            ╱                   ▂▂▂▂▂▂▂▂▂▂   blocks of all times stay
//   cache           ╱▔▔▔                ▆▆▆▆______   no more come; or, if it evicts,
//   LRU             ╱▔▔▔                _______▆▆▆   no old ones are left
//   periodic        ╱╲╱╲╱╲              ________▆▆   old ones go, and what is held has gone before
//   warm-up         ▔▔▔▔▔▔              █_________   early ones stay
//
// So a leak is found by its survivors, of which a working set a thousand times as large has none,
// and not by the slope of what is held: that rises in a leak, but also by chance. Nothing here
// assumes a distribution: shares, medians, and counts of slices (docs/use/leaks.md).
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
    cache,     // grew, and does not any more, or throws out what is old
    warm_up,   // has what it needs since early on
    periodic,  // comes and goes
    steady,    // about the same all the time, or nothing
};
std::string_view word_of(Verdict verdict);  // "leak", "warm-up", ...

struct Judgement {
    Verdict verdict = Verdict::steady;
    double confidence = 0;  // 0 to 1, that it is as `verdict` says
    size_t since = 0;       // slice: it grows from its beginning on
    size_t until = 0;       // slice: to its end
    double grown_bytes = 0;
    double grown_blocks = 0;
    bool too_few = false;  // Survivors, but not enough of them: with others they may be.
    std::string why;
};

// Whether the program did the same before and after the end of this slice, from slice `since` on.
using SameWork = std::function<bool(size_t since, size_t slice)>;

Judgement judge(const Curve& curve, const SameWork& same_work);

}  // namespace memtrace::analyzer
