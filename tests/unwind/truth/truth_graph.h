// SPDX-License-Identifier: Apache-2.0
//
// Random programs: functions of all shapes that call each other in random order, by a seed.
#pragma once

#include <csetjmp>
#include <cstdint>

#include "tests/unwind/truth/truth_fiber.h"

namespace truth {

constexpr unsigned fibers_max = 3;
constexpr unsigned long signal_stack_bytes = 256 << 10;

constexpr unsigned palette_max = 6;

struct Run;

// A function of the graph. `depth` is how many more calls it may have below itself.
using Shape = int (*)(Run& run, int depth);
extern const Shape shapes[];
extern const unsigned shape_count;

// One random program under way: what a function needs to continue.
struct Run {
    uint64_t random = 1;
    int calls_left = 0;
    Shape palette[palette_max] = {};     // Its functions: few, so they meet again.
    unsigned breadth = 1;                // Calls that a function makes, at most.
    const char* floor = nullptr;         // Below it, this stack has no room for another function.
    std::jmp_buf* jump = nullptr;        // Where a function may jump to instead of returning.
    unsigned catchers = 0;               // Functions on this stack that wait for an exception.
    Fiber* fiber = nullptr;              // The fiber that runs; nullptr: the thread's own stack.
    Fiber* fibers = nullptr;             // The fibers that it may switch to.
    const char* signal_stack = nullptr;  // The thread's.
    bool is_in_handler = false;          // No change of stacks in a handler.

    // xorshift: returns a number below `end`.
    unsigned below(unsigned end) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<unsigned>((random >> 11) % end);
    }

    // Begins another program: deep and narrow, or shallow and broad. Returns its depth.
    int begin(int calls, int depth_limit) {
        for (Shape& shape : palette) shape = shapes[below(shape_count)];
        calls_left = calls;
        breadth = 1 + below(4);
        const int limit = breadth == 1 ? depth_limit : 3 + depth_limit / 6;
        return 1 + static_cast<int>(below(static_cast<unsigned>(limit)));
    }

    Shape next() { return palette[below(palette_max)]; }
};

struct Unwound {};  // The exception that is thrown.

// The shapes that are not in truth_shapes.cpp.
int shape_throws(Run& run, int depth);  // truth_leaving.cpp: other ways than to return
int shape_catches(Run& run, int depth);
int shape_jumps(Run& run, int depth);
int shape_is_jumped_to(Run& run, int depth);
int shape_has_destructor(Run& run, int depth);
int shape_is_sorted(Run& run, int depth);  // truth_places.cpp: other stacks, other code
int shape_is_interrupted(Run& run, int depth);
int shape_raises(Run& run, int depth);
int shape_changes_stack(Run& run, int depth);
int shape_is_busy_with_rbp(Run& run, int depth);
int shape_is_found_through_rbx(Run& run, int depth);
int shape_is_realigned(Run& run, int depth);

// Checks now and then, and calls some other functions. It is inlined into its caller, so the calls
// come from frames of the caller's shape, alternately from two places.
__attribute__((always_inline)) inline int go_on(Run& run, int depth) {
    const unsigned what = run.below(8);
    if (what < 3) check();
    else if (what == 3) check(1 + run.below(80));
    const auto* here = static_cast<const char*>(__builtin_frame_address(0));
    if (depth <= 0 || here < run.floor) return depth;
    int sum = 0;
    for (unsigned i = run.below(run.breadth) + 1; i > 0 && run.calls_left > 0; --i) {
        --run.calls_left;
        if (run.below(2) == 0) sum += run.next()(run, depth - 1);
        else sum ^= run.next()(run, depth - 1);
    }
    if (run.below(6) == 0) check();
    return sum;
}

// Runs some programs of this seed, in several threads at a time.
void run_graphs(uint64_t seed);

}  // namespace truth
