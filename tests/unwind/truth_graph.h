// SPDX-License-Identifier: Apache-2.0
//
// Random programs: functions of all shapes that call each other in random order, by a seed.
#pragma once

#include <csetjmp>
#include <cstdint>

#include "tests/unwind/truth_fiber.h"

namespace truth {

constexpr unsigned fibers_max = 3;
constexpr unsigned long signal_stack_bytes = 256 << 10;

// One random program on its way. What a function needs to go on from where it is.
struct Run {
    uint64_t     random = 1;
    int          calls_left = 0;
    const char*  floor = nullptr;        // Below it, this stack has no room for another function.
    std::jmp_buf* jump = nullptr;        // Where a function may jump to instead of returning.
    unsigned     catchers = 0;           // How many functions on this stack wait for an exception.
    Fiber*       fiber = nullptr;        // Whose stack it is; nullptr: the thread's own.
    Fiber*       fibers = nullptr;       // What it may go to.
    const char*  signal_stack = nullptr; // The thread's.
    bool         is_in_handler = false;  // There one does not change stacks.

    // xorshift: a number below `end`.
    unsigned below(unsigned end) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<unsigned>((random >> 11) % end);
    }
};

struct Unwound {};  // What is thrown.

// A function of the graph. `depth`: how many more calls it may have below itself.
using Shape = int (*)(Run& run, int depth);
extern const Shape shapes[];
extern const unsigned shape_count;

// Of the shapes that are not in truth_shapes.cpp.
int shape_throws(Run& run, int depth);          // truth_leaving.cpp: ways to leave other than return
int shape_catches(Run& run, int depth);
int shape_jumps(Run& run, int depth);
int shape_is_jumped_to(Run& run, int depth);
int shape_has_destructor(Run& run, int depth);
int shape_is_sorted(Run& run, int depth);       // truth_places.cpp: other stacks, other code
int shape_is_interrupted(Run& run, int depth);
int shape_raises(Run& run, int depth);
int shape_changes_stack(Run& run, int depth);
int shape_is_busy_with_rbp(Run& run, int depth);
int shape_is_found_through_rbx(Run& run, int depth);
int shape_is_realigned(Run& run, int depth);

// Checks now and then, and calls one or two others. Becomes part of its caller, so that the calls
// come from frames of the caller's shape.
__attribute__((always_inline)) inline int go_on(Run& run, int depth) {
    const unsigned what = run.below(8);
    if (what < 3) check();
    else if (what == 3) check(1 + run.below(80));
    const auto* here = static_cast<const char*>(__builtin_frame_address(0));
    if (depth <= 0 || run.calls_left <= 0 || here < run.floor) return depth;
    --run.calls_left;
    int sum = shapes[run.below(shape_count)](run, depth - 1);
    if (run.below(4) == 0) {
        check();
        sum += shapes[run.below(shape_count)](run, depth - 1);
    }
    if (run.below(6) == 0) check();
    return sum;
}

// Some programs of this seed, in several threads at a time.
void run_graphs(uint64_t seed);

}  // namespace truth
