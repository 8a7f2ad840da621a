// SPDX-License-Identifier: Apache-2.0
//
// What the program's own unwind tables say (.eh_frame, call frame information): for an instruction,
// where its caller's registers are. Reads mapped images only; takes no lock, allocates nothing, and
// does not trust what it reads: a table that makes no sense is an answer, not a crash.
//
// Sources: DWARF 5, section 6.4; the Linux Standard Base, "Exception Frames"; the System V ABI for
// x86-64, figure 3.36.
#pragma once

#include <cstdint>

#include "preload/unwind/dwarf_bytes.h"

namespace memtrace::preload {

// Registers by their DWARF numbers on x86-64.
enum Register : uint8_t {
    register_rbx = 3,
    register_rbp = 6,
    register_rsp = 7,
    register_r12 = 12,
    register_return = 16,  // The return address; as a source, the instruction pointer.
    register_count = 17,
};

// Where the caller's value of one register is.
struct RegisterRule {
    enum Kind : uint8_t {
        same = 0,       // unchanged
        undefined,      // lost; for the return address: there is no caller
        at_offset,      // in memory at CFA + offset
        is_offset,      // CFA + offset itself
        in_register,    // in another register: `offset` is its number
        at_expression,  // in memory where the expression says
        is_expression,  // what the expression says
    };
    Kind kind = same;
    int64_t offset = 0;
    Expression expression;
};

// One row of the table. CFA: the canonical frame address, the stack pointer before the call.
struct UnwindRow {
    uint8_t cfa_register = 0;
    int64_t cfa_offset = 0;
    Expression cfa_expression;  // instead of register and offset, if its size is not 0
    bool is_signal_frame = false;
    RegisterRule registers[register_count];
};

// The entry (FDE, with its CIE) that covers a range of code.
struct UnwindEntry {
    uint64_t code_begin = 0;
    uint64_t code_end = 0;
    uint64_t code_alignment = 1;
    int64_t data_alignment = 1;
    bool is_signal_frame = false;
    bool has_augmentation = false;
    uint8_t pointer_encoding = 0;
    const uint8_t* common_begin = nullptr;  // the CIE's instructions
    const uint8_t* common_end = nullptr;
    const uint8_t* own_begin = nullptr;  // the FDE's instructions
    const uint8_t* own_end = nullptr;
};

// What may be read of a table.
struct TableBounds {
    const uint8_t* begin;
    const uint8_t* end;
};

// Reads the FDE at `place`. False: it is a CIE, or not understood.
bool read_entry(const uint8_t* place, const TableBounds& bounds, UnwindEntry& entry);

// Where the CIE or FDE at `place` ends and the next one begins; nullptr at the end of the table.
const uint8_t* behind_piece(const uint8_t* place, const TableBounds& bounds);

// Finds the entry that covers `pc` by the search table at `eh_frame_header` (the segment
// PT_GNU_EH_FRAME); where there is none, by reading .eh_frame from its start.
bool find_unwind_entry(const uint8_t* eh_frame_header, uint64_t pc, UnwindEntry& entry);

// Room for the rows that an entry's instructions put aside (DW_CFA_remember_state) and the CIE's.
// Not on the stack: the program's may be small.
struct RowWorkspace {
    static constexpr unsigned remembered_max = 6;
    UnwindRow initial;
    UnwindRow remembered[remembered_max];
};

// The row that holds at `pc`. False: there is something in the table that is not understood.
bool find_row(const UnwindEntry& entry, uint64_t pc, UnwindRow& row, RowWorkspace& workspace);

}  // namespace memtrace::preload
