// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/unwind_tables.h"

#include <dlfcn.h>

#include "preload/loader/loaded_object.h"
#include "preload/unwind/registered_frames.h"

namespace memtrace::preload {
namespace {

bool find_entry(uint64_t pc, UnwindEntry& entry, RegisteredEntry& found) {
    dl_find_object object;
    if (!find_loaded_object(reinterpret_cast<void*>(pc), object)) {
        return find_registered_entry(pc, entry, found);
    }
    const auto* header = static_cast<const uint8_t*>(object.dlfo_eh_frame);
    return header != nullptr && find_unwind_entry(header, pc, entry);
}

}  // namespace

RowSearch find_unwind_row(uint64_t pc, UnwindRow& row, RowWorkspace& workspace) {
    UnwindEntry entry;
    RegisteredEntry found;
    if (!find_entry(pc, entry, found)) return RowSearch::no_data;
    const bool is_understood = find_row(entry, pc, row, workspace);
    if (!found.is_valid()) return RowSearch::no_data;
    return is_understood ? RowSearch::found : RowSearch::not_understood;
}

bool begins_function(uint64_t address) {
    UnwindEntry entry;
    RegisteredEntry found;
    return find_entry(address, entry, found) && entry.code_begin == address;
}

bool is_known_code(uint64_t address) {
    dl_find_object object;
    return find_loaded_object(reinterpret_cast<void*>(address), object) ||
           is_registered_code(address);
}

}  // namespace memtrace::preload
