// SPDX-License-Identifier: Apache-2.0
//
// What each function of NVTX records, as marks of the dump. A call arrives in one of two ways:
//
//   callback   The library has the shim as its tool, and its functions call the functions below.
//              This is so for programs that include NVTX's header (version 3), and for
//              libnvToolsExt.so since it is made of that header. Each object that includes the
//              header is a library of its own.
//   hook       The program calls libnvToolsExt.so and reaches the shim's hook, because the library
//              has another tool or can have none. The library's own result is then passed on.
//
// Push and pop return the same values as without a tool. A range needs a number and a domain needs
// a handle to be identified later; without a tool both would be 0.
#pragma once

#include "preload/nvtx/nvtx_types.h"

namespace memtrace::preload::nvtx {

#define MEMTRACE_NVTX(module, id, name, result, parameters, arguments) \
    result told_##name parameters;
#include "preload/nvtx/nvtx_functions.def"

// Puts the shim's functions into the tables of the library that passed `tables`. Returns false if
// it has none.
bool attach(ExportTable tables);

// True if the library that contains this code has the shim as its tool.
bool is_attached(const void* code);

// Called after an unload. Another library may come to the same place.
void forget_attached();

// True if the shim, and not another tool, gave out this number.
bool is_own_range(RangeId range);

// Records the start of a range whose number another tool gave out.
void record_start(RangeId range, Domain* domain, const Attributes* event);

}  // namespace memtrace::preload::nvtx
