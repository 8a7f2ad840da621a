// SPDX-License-Identifier: Apache-2.0
//
// What the program had in use when it called the shim.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Where the program's frames end on the stack of this thread, and the registers that they may use.
struct CallerState {
    uint64_t stack;
    uint64_t registers[6];  // rbx, rbp, r12 to r15
};

// To be called first in a function that the shim's hook calls. A register that the function uses
// itself was saved just below its frame before.
[[gnu::always_inline]] inline CallerState caller_state() {
    constexpr uint64_t saved_bytes = 6 * sizeof(uint64_t);
    CallerState state;
    state.stack = reinterpret_cast<uint64_t>(__builtin_frame_address(0)) - saved_bytes;
    uint64_t* const registers = state.registers;
    asm volatile(
        "movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\t"
        "movq %%r13, 24(%0)\n\tmovq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)"
        :
        : "r"(registers)
        : "memory");
    return state;
}

}  // namespace memtrace::preload
