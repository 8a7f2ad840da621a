// SPDX-License-Identifier: Apache-2.0
//
// Finds the unwind data of any code of a loaded object through the loader, without a lock, and of
// code whose tables were registered.
#pragma once

#include <cstdint>

#include "preload/unwind/cfi.h"

namespace memtrace::preload {

enum class RowSearch : uint8_t {
    found,
    no_data,         // no unwind data for this code
    not_understood,  // the unwind data is not understood
};

// Finds the row for the instruction at `pc`.
RowSearch find_unwind_row(uint64_t pc, UnwindRow& row, RowWorkspace& workspace);

// A row and the workspace for computing it. Too large for the program's stacks.
struct TableScratch {
    UnwindRow row;
    RowWorkspace workspace;
};

// True if a function with unwind data begins at `address`.
bool begins_function(uint64_t address);

// True if `address` is in a loaded object or in a registered function.
bool is_known_code(uint64_t address);

}  // namespace memtrace::preload
