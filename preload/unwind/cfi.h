// SPDX-License-Identifier: Apache-2.0
//
// Reads the program's own unwind tables (.eh_frame, call frame information). They tell, for an
// instruction, where its caller's registers are. This code reads only mapped images, takes no lock
// and allocates nothing. It does not trust what it reads: a table that makes no sense leads to a
// result, not to a crash.
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
    register_return = 16,  // the return address; as a source, the instruction pointer
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
        at_expression,  // in memory at the result of the expression
        is_expression,  // the result of the expression
    };
    Kind kind = same;
    int64_t offset = 0;
    Expression expression;
};

// One row of the table. The CFA (canonical frame address) is the stack pointer before the call.
struct UnwindRow {
    uint8_t cfa_register = 0;
    int64_t cfa_offset = 0;
    Expression cfa_expression;  // used instead of register and offset if its size is not 0
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

// The readable bytes of a table.
struct TableBounds {
    const uint8_t* begin;
    const uint8_t* end;
};

// Reads the FDE at `place`. Returns false if it is a CIE or not understood.
bool read_entry(const uint8_t* place, const TableBounds& bounds, UnwindEntry& entry);

// Returns the end of the CIE or FDE at `place`, where the next begins, or nullptr at the end of the
// table.
const uint8_t* behind_piece(const uint8_t* place, const TableBounds& bounds);

// Finds the entry that covers `pc` by the search table at `eh_frame_header` (the segment
// PT_GNU_EH_FRAME). If there is no search table, reads .eh_frame from its start.
bool find_unwind_entry(const uint8_t* eh_frame_header, uint64_t pc, UnwindEntry& entry);

// Room for the rows that an entry's instructions save (DW_CFA_remember_state), and for the CIE's
// row. It is not on the stack because the program's stack may be small.
struct RowWorkspace {
    static constexpr unsigned remembered_max = 6;
    UnwindRow initial;
    UnwindRow remembered[remembered_max];
};

// Finds the row that is valid at `pc`. Returns false if the table contains something that is not
// understood.
bool find_row(const UnwindEntry& entry, uint64_t pc, UnwindRow& row, RowWorkspace& workspace);

}  // namespace memtrace::preload
