// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/own_stack.h"

#include <ucontext.h>

#include <thread>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

uint64_t here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

ucontext_t main_context, coroutine;
uint64_t lowest_in_coroutine = 1;

void run_coroutine() {
    lowest_in_coroutine = lowest_frame(here());
    swapcontext(&coroutine, &main_context);
}

}  // namespace

TEST_CASE("the frames of a thread lead to its beginning, and none is below the last one") {
    const uint64_t stack = here();
    CHECK(lowest_frame(stack) == stack);
    uint64_t of_thread = 0, lowest = 1;
    std::thread([&] {
        of_thread = here();
        lowest = lowest_frame(of_thread);
    }).join();
    CHECK(lowest == of_thread);
}

TEST_CASE("of a coroutine nobody knows what is in use of the stack that it lies in") {
    char area[64 << 10];
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = area;
    coroutine.uc_stack.ss_size = sizeof area;
    makecontext(&coroutine, run_coroutine, 0);
    swapcontext(&main_context, &coroutine);
    CHECK(lowest_in_coroutine == 0);
}
