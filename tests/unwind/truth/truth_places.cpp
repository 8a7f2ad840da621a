// SPDX-License-Identifier: Apache-2.0
//
// Shapes that change to another stack, or go through code that keeps no truth.
#include <signal.h>

#include <cstdlib>

#include "tests/unwind/truth/truth_frames.h"
#include "tests/unwind/truth/truth_graph.h"
#include "tests/unwind/truth/truth_signals.h"

namespace truth {
namespace {

// Removes, while it lives, what must not cross the boundary to another stack or through a library:
// jumps and exceptions.
class Boundary {
public:
    explicit Boundary(Run& run) : run_(run), jump_(run.jump), catchers_(run.catchers) {
        run.jump = nullptr;
        run.catchers = 0;
    }
    ~Boundary() {
        run_.jump = jump_;
        run_.catchers = catchers_;
    }
    Boundary(const Boundary&) = delete;
    Boundary& operator=(const Boundary&) = delete;

private:
    Run& run_;
    std::jmp_buf* jump_;
    unsigned catchers_;
};

struct Job {
    Run* run;
    int depth;
};

constinit thread_local Job sorted_job{};

// The first comparison of a sort goes on; the others are only there for qsort.
TRUTH_SHAPE int go_on_or_compare(const void* a, const void* b) {
    Calls& calls = *current->calls;
    const unsigned known = calls.depth;
    calls.push(some_library);
    {
        const Call call(__builtin_return_address(0));
        if (Run* const run = sorted_job.run) {
            sorted_job.run = nullptr;
            go_on(*run, sorted_job.depth);
        }
    }
    calls.depth = known;
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

}  // namespace

TRUTH_SHAPE int shape_is_sorted(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const Boundary boundary(run);
    int numbers[] = {4, 1, 3, 2};
    sorted_job = {&run, depth};
    std::qsort(numbers, 4, sizeof numbers[0], go_on_or_compare);
    sorted_job = {};
    return numbers[0];
}

namespace {

constexpr unsigned long room_left_on_signal_stack = 96 << 10;

TRUTH_SHAPE void go_on_in_handler(void* argument) {
    const Call call(__builtin_return_address(0));
    const Job job = *static_cast<Job*>(argument);
    Run& run = *job.run;
    const Boundary boundary(run);
    const bool was_in_handler = run.is_in_handler;
    const char* const floor = run.floor;
    run.is_in_handler = true;
    const auto* here = static_cast<const char*>(__builtin_frame_address(0));
    if (here >= run.signal_stack && here < run.signal_stack + signal_stack_bytes) {
        run.floor = run.signal_stack + room_left_on_signal_stack;
    }
    go_on(run, job.depth < 6 ? job.depth : 6);
    run.floor = floor;
    run.is_in_handler = was_in_handler;
}

}  // namespace

TRUTH_SHAPE int shape_is_interrupted(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    Job job{&run, depth};
    in_handler = go_on_in_handler;
    in_handler_argument = &job;
    trap();
    check();
    return depth;
}

TRUTH_SHAPE int shape_raises(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    Job job{&run, depth};
    in_handler = go_on_in_handler;
    in_handler_argument = &job;
    raise(SIGUSR1);
    return depth;
}

namespace {

// The first function of a fiber: its own programs, one after the other, with pauses between.
TRUTH_SHAPE void live_in_fiber(void* argument, Fiber& fiber) {
    const Call call(__builtin_return_address(0));
    const auto& outside = *static_cast<const Run*>(argument);
    Run run;
    run.random = outside.random | 1;
    run.floor = fiber.floor();
    run.fiber = &fiber;
    run.signal_stack = outside.signal_stack;
    for (unsigned i = 0; i < 5; ++i) {
        go_on(run, run.begin(60, 12));
        fiber.yield();
        check();
    }
}

}  // namespace

TRUTH_SHAPE int shape_changes_stack(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    if (run.is_in_handler) return depth;
    if (run.fiber != nullptr) {
        run.fiber->yield();
    } else {
        Fiber& fiber = run.fibers[run.below(fibers_max)];
        if (run.below(8) == 0) fiber.drop();
        fiber.resume(live_in_fiber, &run);
    }
    check();
    return depth;
}

namespace {

// Frames of truth_frames.h between two functions of the graph.
struct Bridge {
    Step step;
    Step end;
    Run* run;
    int depth;
};

TRUTH_SHAPE void cross(Step* end) {
    auto& bridge = *reinterpret_cast<Bridge*>(reinterpret_cast<char*>(end) - offsetof(Bridge, end));
    const Call outer(bridge.step.return_address);
    const Call call(__builtin_return_address(0));
    go_on(*bridge.run, bridge.depth);
}

__attribute__((always_inline)) inline int go_on_behind(void (*frame)(Step*), Run& run, int depth) {
    Bridge bridge{{frame, 16 * (1 + run.below(4))}, {cross}, &run, depth};
    link({&bridge.step, &bridge.end});
    frame(&bridge.step);
    TRUTH_USE(&bridge);
    return depth;
}

}  // namespace

TRUTH_SHAPE int shape_is_busy_with_rbp(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    return go_on_behind(truth_frame_saves_rbp, run, depth);
}

TRUTH_SHAPE int shape_is_found_through_rbx(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    return go_on_behind(truth_frame_rbx, run, depth);
}

TRUTH_SHAPE int shape_is_realigned(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    return go_on_behind(truth_frame_realigned, run, depth);
}

}  // namespace truth
