// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/own_stack.h"

#include <algorithm>
#include <cstring>

#include "preload/base/sys.h"
#include "preload/lost/main_frame.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t depth_max = 4096;      // frames
constexpr uint64_t red_zone_bytes = 128;  // below the stack pointer of an interrupted function

StackWalker walker;  // of whoever searches, which is one thread at a time

// True if a thread that returns here ends: libc makes the system call itself, because nothing
// called the first function of a thread. A coroutine's first function returns to other code.
bool is_end_of_thread(uint64_t address) {
    constexpr uint8_t exit_call[] = {0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05};  // mov $60,%eax; syscall
    constexpr size_t before = 3;                                        // the result is moved
    uint8_t code[before + sizeof exit_call] = {};
    if (sys::copy_memory(code, reinterpret_cast<const void*>(address), sizeof code) != 0)
        return false;
    for (size_t at = 0; at <= before; ++at) {
        if (std::memcmp(code + at, exit_call, sizeof exit_call) == 0) return true;
    }
    return false;
}

}  // namespace

[[gnu::noinline]] uint64_t lowest_frame(uint64_t stack) {
    walker.forget_thread();
    const StackMemo* const memo = walker.walk(__builtin_frame_address(0), depth_max);
    if (memo == nullptr || memo->length == 0 || memo->end != StackEnd::complete) return 0;
    const uint64_t outermost = memo->frames[0].pc;
    if (!is_in_start(outermost) && !is_end_of_thread(outermost)) return 0;
    uint64_t lowest = stack;
    uint32_t next = memo->length;
    while (next > 0 && memo->frames[next - 1].sp < stack) --next;
    while (next > 0) {
        const uint64_t used_from = memo->frames[--next].sp - red_zone_bytes;
        if (used_from + red_zone_bytes < stack) lowest = std::min(lowest, used_from);
    }
    return lowest;
}

}  // namespace memtrace::preload
