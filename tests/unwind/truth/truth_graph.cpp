// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth_graph.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "tests/unwind/truth/truth_signals.h"

namespace truth {
namespace {

constexpr unsigned threads_max = 3;
constexpr unsigned programs_of_a_thread = 30;
constexpr uint64_t room_needed = 3 << 20;  // of the eight megabytes of a thread

// Its destructor runs when the thread has left its first function.
struct LastWords {
    bool is_set = false;
    TRUTH_SHAPE ~LastWords() {
        const Call call(__builtin_return_address(0));
        // libc calls it, and keeps no truth.
        if (is_set) check();
    }
};

TRUTH_SHAPE void run_programs(uint64_t seed) {
    const Call call(__builtin_return_address(0));
    static thread_local LastWords last_words;
    last_words.is_set = true;
    const auto* here = static_cast<const char*>(__builtin_frame_address(0));
    Run run;
    run.random = seed * 0x9e3779b97f4a7c15u | 1;
    run.floor = here - room_needed;
    run.fibers = new Fiber[fibers_max];
    void* signal_stack = mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(signal_stack != MAP_FAILED, "there is no memory for a signal stack");
    if (signal_stack == MAP_FAILED) return;
    use_signal_stack(signal_stack, signal_stack_bytes);
    run.signal_stack = static_cast<const char*>(signal_stack);
    for (unsigned i = 0; i < programs_of_a_thread; ++i) {
        go_on(run, run.begin(300, 60));
        if (run.below(3) == 0) run.fibers[run.below(fibers_max)].drop();
    }
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(signal_stack, signal_stack_bytes);
    for (unsigned i = 0; i < fibers_max; ++i) run.fibers[i].drop();
    delete[] run.fibers;
}

struct Start {
    uint64_t seed = 0;
    unsigned number = 0;
};

TRUTH_SHAPE void* run_thread(void* argument) {
    const auto& start = *static_cast<const Start*>(argument);
    begin_thread("graph", start.seed);
    const Call call(__builtin_return_address(0));
    run_programs(start.seed * threads_max + start.number);
    return nullptr;
}

}  // namespace

TRUTH_SHAPE void run_graphs(uint64_t seed) {
    const Call call(__builtin_return_address(0));
    current->story = "graph";
    current->seed = seed;
    install_handlers();
    pthread_t threads[threads_max - 1];
    Start starts[threads_max - 1];
    unsigned started = 0;
    for (; started < threads_max - 1; ++started) {
        starts[started] = {seed, started + 1};
        if (pthread_create(&threads[started], nullptr, run_thread, &starts[started]) != 0) break;
    }
    expect(started == threads_max - 1, "there are no threads");
    run_programs(seed * threads_max);
    for (unsigned i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
}

}  // namespace truth
