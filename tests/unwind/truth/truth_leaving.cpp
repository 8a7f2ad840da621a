// SPDX-License-Identifier: Apache-2.0
//
// Shapes that end in other ways than by returning: exceptions, longjmp, and destructors on the way.
#include "tests/unwind/truth/truth_graph.h"

namespace truth {

TRUTH_SHAPE int shape_throws(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const int sum = go_on(run, depth);
    if (run.catchers != 0 && run.below(2) == 0) throw Unwound{};
    return sum;
}

// The handler only checks, and does not change the stack: the runtime keeps its list of caught
// exceptions for the thread, not for a fiber.
TRUTH_SHAPE int shape_catches(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const unsigned catchers = run.catchers++;
    std::jmp_buf* const jump = run.jump;
    int sum = 0;
    try {
        sum = go_on(run, depth);
    } catch (const Unwound&) {
        run.jump = jump;  // A place to jump to may have been passed.
        check();
        sum = 7;
    }
    run.catchers = catchers;
    check();
    return sum;
}

namespace {

[[noreturn]] TRUTH_SHAPE void leave(Run& run) {
    const Call call(__builtin_return_address(0));
    check();
    std::longjmp(*run.jump, 1);
}

struct Watcher {
    explicit Watcher(Run& of) : run(of) {}
    TRUTH_SHAPE ~Watcher() {
        const Call call(__builtin_return_address(0));
        if (run.below(2) == 0) check();
        asm volatile("");
    }
    Run& run;
};

}  // namespace

TRUTH_SHAPE int shape_jumps(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const int sum = go_on(run, depth);
    if (run.jump != nullptr && run.below(2) == 0) leave(run);
    return sum;
}

// The functions that the jump skips remove no calls, so their truth is removed here.
TRUTH_SHAPE int shape_is_jumped_to(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    std::jmp_buf here;
    std::jmp_buf* const outer = run.jump;
    const unsigned catchers = run.catchers;
    Calls* const calls = current->calls;
    const unsigned known = calls->depth;
    volatile int sum = 1;
    if (setjmp(here) == 0) {
        run.jump = &here;
        sum = go_on(run, depth);
    } else {
        calls->depth = known;
        check();
    }
    run.jump = outer;
    run.catchers = catchers;
    check();
    return sum;
}

// Runs its destructor when it returns and when an exception passes.
TRUTH_SHAPE int shape_has_destructor(Run& run, int depth) {
    const Call call(__builtin_return_address(0));
    const Watcher watcher(run);
    return go_on(run, depth);
}

}  // namespace truth
