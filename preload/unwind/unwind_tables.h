// SPDX-License-Identifier: Apache-2.0
//
// Finds the unwind data of any code of a loaded object, by asking the loader, without a lock.
#pragma once

#include <cstdint>

#include "preload/unwind/cfi.h"

namespace memtrace::preload {

enum class RowSearch : uint8_t {
    found,
    no_data,         // Nothing is said about this code.
    not_understood,  // Something is said that we cannot read.
};

// The row for the instruction at `pc`.
RowSearch find_unwind_row(uint64_t pc, UnwindRow& row, RowWorkspace& workspace);

// A row and the room that computing it takes. Too large for the program's stacks.
struct TableScratch {
    UnwindRow row;
    RowWorkspace workspace;
};

// Whether a function with unwind data begins at `address`.
bool begins_function(uint64_t address);

// Whether `address` is in a loaded object.
bool is_known_code(uint64_t address);

}  // namespace memtrace::preload
