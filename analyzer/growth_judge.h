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
// assumes a distribution: shares, medians, and counts of slices (docs/leaks.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

// One value for each slice of the run, those without work left out.
struct Curve {
    std::vector<double> at;           // where the slice ends: seconds, or steps
    std::vector<double> bytes;        // held at its end
    std::vector<double> blocks;
    std::vector<double> allocations;  // in it
    std::vector<double> born_bytes;   // acquired in it, and alive at the end of the last one
    std::vector<double> born_blocks;

    size_t size() const { return at.size(); }
};
void add(Curve& sum, const Curve& part);  // of the same slices

// Per unit of Curve::at.
struct Slope {
    double value = 0;
    double low = 0;   // with 95 % confidence
    double high = 0;
};

struct Judgement {
    Verdict     verdict = Verdict::steady;
    double      confidence = 0;  // 0 to 1, that it is as `verdict` says
    size_t      since = 0;       // slice: it grows from its beginning on
    size_t      until = 0;       // slice: to its end
    double      grown_bytes = 0;
    double      grown_blocks = 0;
    bool        too_few = false;  // Survivors, but not enough of them: with others they may be.
    std::string why;
};

// Whether the program did the same before and after the end of this slice, from slice `since` on.
using SameWork = std::function<bool(size_t since, size_t slice)>;

Judgement judge(const Curve& curve, const SameWork& same_work);

// The median of all slopes between two points (Theil and Sen), of the slices [begin, end).
Slope slope_of(const std::vector<double>& at, const std::vector<double>& values, size_t begin,
               size_t end);

}  // namespace memtrace::analyzer
