// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth_fiber.h"

#include <sys/mman.h>

namespace truth {
namespace {

constinit thread_local Fiber* entering = nullptr;

}  // namespace

bool Fiber::make() {
    constexpr uint64_t bytes = stack_bytes + 2 * page_bytes;
    // At the place of the last stack, if nothing else has come there.
    void* const wanted = stack_ == nullptr ? nullptr : stack_ - page_bytes;
    void* region = MAP_FAILED;
    if (wanted != nullptr) {
        region = mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                      -1, 0);
    }
    if (region == MAP_FAILED) {
        region = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (region == MAP_FAILED) return false;
    stack_ = static_cast<char*>(region) + page_bytes;
    is_mapped_ = true;
    return mprotect(stack_, stack_bytes, PROT_READ | PROT_WRITE) == 0 && getcontext(&own_) == 0;
}

void Fiber::resume(void (*body)(void*, Fiber&), void* argument) {
    if (!is_running_) {
        drop();
        if (!make()) return expect(false, "there is no stack for a fiber");
        own_.uc_stack.ss_sp = stack_;
        own_.uc_stack.ss_size = stack_bytes;
        own_.uc_link = &home_;
        makecontext(&own_, enter, 0);
        calls_.depth = 0;
        calls_.is_rooted = false;
        body_ = body;
        argument_ = argument;
        is_running_ = true;
    }
    Calls* const outside = current->calls;
    current->calls = &calls_;
    entering = this;
    swapcontext(&home_, &own_);
    current->calls = outside;
}

void Fiber::yield() { swapcontext(&own_, &home_); }

void Fiber::drop() {
    if (is_mapped_) munmap(stack_ - page_bytes, stack_bytes + 2 * page_bytes);
    is_mapped_ = is_running_ = false;
}

TRUTH_SHAPE void Fiber::enter() {
    Fiber& self = *entering;
    {
        const Call call(__builtin_return_address(0));
        self.body_(self.argument_, self);
    }
    self.is_running_ = false;
}

}  // namespace truth
