// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/lost_question.h"

#include <signal.h>

#include <cstring>

#include "preload/base/internal_heap.h"
#include "preload/base/options.h"
#include "preload/base/own_memory.h"
#include "preload/base/sys.h"
#include "preload/lost/lost_objects.h"
#include "preload/lost/main_frame.h"
#include "preload/lost/own_stack.h"
#include "preload/recording/thread_lane.h"

extern "C" const char __ehdr_start __attribute__((visibility("hidden")));
extern "C" const char _end __attribute__((visibility("hidden")));

namespace memtrace::preload {
namespace {

void add_own(LostRequest& request, uint64_t begin, uint64_t end) {
    // What libc and the loader keep in blocks that the shim has caused may lead to the program's.
    if (internal_heap_contains(reinterpret_cast<const void*>(begin))) return;
    if (request.own_count >= LostRequest::own_max) return;
    request.own[request.own_count++] = {begin, end};
}

void describe_threads(LostRequest& request) {
    const int pid = sys::pid();
    ThreadLane::for_each([&](const ThreadLane& each) {
        const uint64_t stack = each.stack_address();
        if (stack == 0 || request.thread_count >= LostRequest::threads_max) return;
        const bool is_gone = each.owner() == 0 || !sys::thread_exists(pid, each.owner());
        request.threads[request.thread_count++] = {stack, is_gone ? 1u : 0u};
    });
}

uint64_t thread_pointer() {
    uint64_t value;
    asm("mov %%fs:0, %0" : "=r"(value));
    return value;
}

uint64_t signal_stack() {
    stack_t stack = {};
    const long asked = sys::call(SYS_sigaltstack, 0, sys::address_of(&stack));
    return sys::failed(asked) ? 0 : reinterpret_cast<uint64_t>(stack.ss_sp);
}

}  // namespace

void describe_process(LostRequest& request, const CallerState& caller) {
    request.magic = LostRequest::sound;
    request.stack_pointer = caller.stack;
    std::memcpy(request.registers, caller.registers, sizeof request.registers);
    request.signal_stack = signal_stack();
    request.thread_pointer = thread_pointer();
    request.thread = static_cast<uint64_t>(sys::tid());
    const bool has_frames = caller.stack != start_of_process_stack();
    request.used_from = has_frames ? lowest_frame(caller.stack) : caller.stack;
    request.without = options.lost_without;
    request.thread_count = request.own_count = request.root_count = request.ignored_count = 0;
    describe_threads(request);
    own_memory::for_each([&](uint64_t begin, uint64_t end) { add_own(request, begin, end); });
    add_own(request, reinterpret_cast<uint64_t>(&__ehdr_start), reinterpret_cast<uint64_t>(&_end));
    describe_lost_objects(request);
}

}  // namespace memtrace::preload
