// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/stack_reader.h"

#include <errno.h>

#include "memtrace/dump/format.h"
#include "preload/base/sys.h"

// Where the main thread's stack began when the program started; exported by ld.so.
extern "C" void* __libc_stack_end;

namespace memtrace::preload {
namespace {

// How far down its stack a thread may have moved between two events to be still recognised as on
// its own stack. Beyond that, the stack is treated as foreign, which is right but slower.
constexpr uint64_t leap_bytes_max = 16u << 20;

uint64_t page_of(uint64_t address) { return address & ~uint64_t{page_bytes - 1}; }

}  // namespace

bool is_readable(uint64_t address) {
    // The kernel copies the set before it checks the unknown operation. It returns EFAULT if it
    // cannot copy, EINVAL if it can.
    constexpr long no_such_operation = 0x7fff;
    return sys::call(SYS_rt_sigprocmask, no_such_operation, static_cast<long>(address), 0, 8) ==
           -EINVAL;
}

bool is_at_start_of_process(uint64_t sp) {
    constexpr uint64_t pushed_bytes_max = 64;
    return reinterpret_cast<uint64_t>(__libc_stack_end) - sp <= pushed_bytes_max;
}

bool StackBounds::extend(uint64_t sp) {
    // glibc puts a thread's control block at the top of its stack. That of the main thread is
    // elsewhere.
    const auto control_block = reinterpret_cast<uint64_t>(__builtin_thread_pointer());
    const auto main_top = reinterpret_cast<uint64_t>(__libc_stack_end);
    uint64_t low = low_;
    uint64_t high = high_;
    if (high == 0) {
        // The nearer top above `sp`. A forked child runs on the stack of the thread that forked.
        high = ~uint64_t{0};
        for (const uint64_t top : {control_block, main_top}) {
            if (top > sp && top < high) high = top;
        }
        low = high;
    }
    if (sp >= low || low - sp > leap_bytes_max) return false;
    for (uint64_t page = page_of(sp) + page_bytes; page < low; page += page_bytes) {
        if (is_readable(page)) continue;
        floor_ = page;
        return false;
    }
    low_ = page_of(sp);
    high_ = high;
    return true;
}

StackReader::StackReader(StackBounds& bounds, uint64_t sp) : is_own_(bounds.own(sp)) {
    low_ = is_own_ ? sp : page_of(sp);
    high_ = is_own_ ? bounds.high() : page_of(sp) + page_bytes;
}

bool StackReader::ask(uint64_t address) {
    went_out_ = true;
    if (!is_readable(address)) return false;
    // A stack continues page by page. Addresses elsewhere are checked each time.
    if (page_of(address) == high_ && !is_own_) high_ += page_bytes;
    return true;
}

}  // namespace memtrace::preload
