// SPDX-License-Identifier: Apache-2.0
//
// Decodes one instruction of x86-64: its length, and what it does to the stack pointer and to the
// flow of control. For code without unwind data (way_out.h).
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and the
// opcode maps of appendix A.
#pragma once

#include <cstdint>

namespace memtrace::preload {

enum class Effect : uint8_t {
    none,           // nothing that matters here; a call is none, too, because it comes back
    unknown,        // no instruction, or one that moves rsp in a way that is not followed
    push,           // rsp -= 8
    pop,            // rsp += 8
    pop_fp,         // rbp = *rsp; rsp += 8
    add_sp,         // rsp += number
    sp_from_fp,     // rsp = rbp + number
    load_fp,        // rbp = *(rsp + number)
    leave,          // rsp = rbp; rbp = *rsp; rsp += 8
    jump,           // to `target`
    branch,         // to `target` or on
    indirect_jump,  // to somewhere
    ret,            // returns
    stop,           // control does not go on behind it: ud2, hlt, int3
};

struct Instruction {
    uint8_t length = 0;  // bytes; 0 if it is not understood
    Effect effect = Effect::unknown;
    int64_t number = 0;
    const uint8_t* target = nullptr;
};

// No instruction is longer, in bytes.
inline constexpr unsigned instruction_bytes_max = 15;

// `code` must have instruction_bytes_max readable bytes.
Instruction decode(const uint8_t* code);

}  // namespace memtrace::preload
