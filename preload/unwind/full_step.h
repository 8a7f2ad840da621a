// SPDX-License-Identifier: Apache-2.0
//
// One frame to the next with every register, for what a UnwindRule cannot say: signal frames, PLT
// entries, frames that are found through rbx or r10. Slow: each step reads the unwind table anew.
#pragma once

#include <cstdint>

#include "preload/unwind/stack_reader.h"
#include "preload/unwind/unwind_tables.h"

namespace memtrace::preload {

// Where one is: in a frame, at its call or, if `is_exact`, at an instruction where a signal came.
struct Position {
    uint64_t pc = 0;
    uint64_t sp = 0;
    uint64_t fp = 0;  // rbp
    bool is_exact = false;

    // An address inside the instruction: a return address may already belong to the next function.
    uint64_t lookup() const { return is_exact ? pc : pc - 1; }
};

struct Registers {
    uint64_t value[register_count] = {};
    uint32_t known = 0;  // a bit for each

    bool has(unsigned number) const { return (known >> number & 1) != 0; }
    void set(unsigned number, uint64_t content) {
        value[number] = content;
        known |= 1u << number;
    }
};

enum class FullStep : uint8_t {
    stepped,
    end,      // The frame has no caller.
    no_data,  // No unwind data.
    unknown,  // The row needs a register that is not known.
    failed,   // The row makes no sense here: unreadable memory, an unknown operation.
};

// Moves `registers`, which stand in the frame at `position`, to its caller; `position` as well.
FullStep step_fully(Position& position, Registers& registers, StackReader& stack,
                    TableScratch& scratch);

// The same from what a Position has; where that is not enough, walks from this very function to
// the frame again, with all registers.
FullStep step_fully(Position& position, StackReader& stack, TableScratch& scratch);

}  // namespace memtrace::preload
