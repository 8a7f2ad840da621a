// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "tests/unwind/truth/truth.h"
#include "tests/unwind/truth/truth_frames.h"
#include "tests/unwind/truth/truth_signals.h"
#include "tests/unwind/truth/truth_stories.h"

namespace truth {
namespace {

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t signal_stack_bytes = 128 << 10;
constexpr uint64_t hole_bytes = 64 << 10;
constexpr uint64_t stack_bytes = 512 << 10;

TRUTH_SHAPE void check_in_handler(void*) {
    const Call call(__builtin_return_address(0));
    check();
    check();
}

// Two places, so the frames behind the same handler's frame differ.
TRUTH_SHAPE void signal_at_two_places() {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    in_handler = check_in_handler;
    check();
    trap();
    trap();
    check();
}

TRUTH_SHAPE void signal_out_of_libc() {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    in_handler = check_in_handler;
    raise(SIGUSR1);
    check();
    raise(SIGUSR1);
    asm volatile("");  // raise() must not replace this function.
}

TRUTH_SHAPE void trap_again(void*) {
    const Call call(__builtin_return_address(0));
    in_handler = check_in_handler;
    check();
    trap();
    check();
}

TRUTH_SHAPE void signal_in_a_handler() {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    in_handler = trap_again;
    trap();
    in_handler = trap_again;
    raise(SIGUSR1);
    check();
}

// What the handler of the story below calls, outermost first.
struct FarDown {
    Step rbp{truth_frame_saves_rbp};
    Step pages{truth_frame_three_pages};
    Step plain{truth_frame_plain};
    Step seen{see};
};

TRUTH_SHAPE void see_far_down(void* argument) {
    const Call call(__builtin_return_address(0));
    auto& far = *static_cast<FarDown*>(argument);
    Step self;
    link({&self, &far.rbp, &far.pages, &far.plain, &far.seen});
    // The first site; the others do nothing.
    static Step nothing{truth_nothing};
    truth_three_sites(&self, &far.rbp, &nothing, &nothing);
}

// A handler's stack was the last one seen; it began on a signal stack and ended on the thread's
// own. The inner end of the signal stack then serves as a fiber's, with an equal frame at an equal
// place, and the rest of it is gone. A walk that reads there as if it were the thread's own stack
// crashes.
TRUTH_SHAPE void signal_stack_that_goes_away(char* signal_stack) {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    FarDown far;
    in_handler = see_far_down;
    in_handler_argument = &far;
    trap();
    auto* const top = reinterpret_cast<char*>(far.plain.return_slot + 1);
    char* const gone = signal_stack + ((top - signal_stack) / page_bytes + 1) * page_bytes;
    expect(reinterpret_cast<char*>(far.pages.return_slot) > gone, "the frames are on one page");
    const uint64_t gone_bytes = static_cast<uint64_t>(signal_stack + signal_stack_bytes - gone);
    mprotect(gone, gone_bytes, PROT_NONE);
    Step elsewhere{truth_frame_elsewhere, reinterpret_cast<uint64_t>(top)};
    Step plain{truth_frame_plain};
    Step seen{see};
    Step sites;
    static Step nothing{truth_nothing};
    link({&sites, &elsewhere, &plain, &seen});
    truth_three_sites(&sites, &elsewhere, &nothing, &nothing);
    expect(seen.frame == far.seen.frame, "the two frames are not at one place");
    mprotect(gone, gone_bytes, PROT_READ | PROT_WRITE);
}

TRUTH_SHAPE void* run_thread(void* region) {
    begin_thread("signals", 0);
    const Call call(__builtin_return_address(0));
    auto* const signal_stack = static_cast<char*>(region);
    use_signal_stack(signal_stack, signal_stack_bytes);
    for (int turn = 0; turn < 2; ++turn) {
        signal_at_two_places();
        signal_out_of_libc();
        signal_in_a_handler();
        signal_stack_that_goes_away(signal_stack);
    }
    return nullptr;
}

}  // namespace

// Runs in a thread with its stack near its signal stack, with a hole between.
TRUTH_SHAPE void tell_stories_of_signals() {
    const Call call(__builtin_return_address(0));
    install_handlers();
    constexpr uint64_t bytes = signal_stack_bytes + hole_bytes + stack_bytes;
    void* region = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(region != MAP_FAILED, "there is no memory for stacks");
    if (region == MAP_FAILED) return;
    char* const hole = static_cast<char*>(region) + signal_stack_bytes;
    mprotect(hole, hole_bytes, PROT_NONE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, hole + hole_bytes, stack_bytes);
    pthread_t thread{};
    const bool started = pthread_create(&thread, &attributes, run_thread, region) == 0;
    expect(started, "there is no thread");
    if (started) pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    munmap(region, bytes);
}

}  // namespace truth
