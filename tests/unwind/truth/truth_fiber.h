// SPDX-License-Identifier: Apache-2.0
//
// Stacks that no thread started with: makecontext, between pages that cannot be read. A stack may
// be dropped half-way, and the next one is made at the same address.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "tests/unwind/truth/truth.h"

namespace truth {

class Fiber {
public:
    // Runs until the next yield(), or the end of `body`. Starts with `body(argument)` if nothing
    // runs.
    void resume(void (*body)(void*, Fiber&), void* argument);

    // Called from inside: returns to where resume() was called.
    void yield();

    // Removes the stack, whatever is on it.
    void drop();

    // Below this there is no room for another function.
    const char* floor() const { return stack_ + room_left; }

private:
    static constexpr uint64_t page_bytes = 4096;
    static constexpr uint64_t stack_bytes = 192 << 10;
    static constexpr uint64_t room_left = 64 << 10;

    static void enter();
    bool make();

    char* stack_ = nullptr;  // Also of a dropped stack: the next comes to the same place.
    bool is_mapped_ = false;
    bool is_running_ = false;
    ucontext_t home_{};
    ucontext_t own_{};
    Calls calls_;
    void (*body_)(void*, Fiber&) = nullptr;
    void* argument_ = nullptr;
};

}  // namespace truth
