// SPDX-License-Identifier: Apache-2.0
//
// The full step: from one frame to the next with every register, for frames that an UnwindRule
// cannot describe. These are signal frames, PLT entries, and frames found through rbx or r10. Each
// step reads the unwind table anew, so it is slow.
#pragma once

#include <cstdint>

#include "preload/unwind/stack_reader.h"
#include "preload/unwind/unwind_tables.h"

namespace memtrace::preload {

// A position in a frame: at its call or, if `is_exact`, at an instruction where a signal arrived.
struct Position {
    uint64_t pc = 0;
    uint64_t sp = 0;
    uint64_t fp = 0;  // rbp
    bool is_exact = false;

    // An address inside the instruction. A return address may already belong to the next function.
    uint64_t lookup() const { return is_exact ? pc : pc - 1; }
};

struct Registers {
    uint64_t value[register_count] = {};
    uint32_t known = 0;  // one bit for each register

    bool has(unsigned number) const { return (known >> number & 1) != 0; }
    void set(unsigned number, uint64_t content) {
        value[number] = content;
        known |= 1u << number;
    }
};

enum class FullStep : uint8_t {
    stepped,
    end,      // the frame has no caller
    no_data,  // no unwind data
    unknown,  // the row needs a register that is not known
    failed,   // the row makes no sense here: unreadable memory, an unknown operation
};

// Moves `registers` and `position` from a frame to its caller.
FullStep step_fully(Position& position, Registers& registers, StackReader& stack,
                    TableScratch& scratch);

// The same with only what a Position contains. If that is not enough, walks from this function
// itself to the frame again, with all registers.
FullStep step_fully(Position& position, StackReader& stack, TableScratch& scratch);

}  // namespace memtrace::preload
