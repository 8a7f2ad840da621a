// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind_tables.h"

#include <dlfcn.h>

namespace memtrace::preload {

RowSearch find_unwind_row(uint64_t pc, UnwindRow& row, RowWorkspace& workspace) {
    dl_find_object object;
    if (_dl_find_object(reinterpret_cast<void*>(pc), &object) != 0) return RowSearch::no_data;
    const auto* header = static_cast<const uint8_t*>(object.dlfo_eh_frame);
    UnwindEntry entry;
    if (header == nullptr || !find_unwind_entry(header, pc, entry)) return RowSearch::no_data;
    return find_row(entry, pc, row, workspace) ? RowSearch::found : RowSearch::not_understood;
}

bool is_known_code(uint64_t address) {
    dl_find_object object;
    return _dl_find_object(reinterpret_cast<void*>(address), &object) == 0;
}

}  // namespace memtrace::preload
