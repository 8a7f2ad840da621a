// SPDX-License-Identifier: Apache-2.0
//
// What each function of NVTX says, as marks of the dump. A call comes in one of two ways:
//
//   callback   The library has us as its tool: its functions call these. That is so of whoever
//              includes NVTX's header (version 3), and of libnvToolsExt.so since that is made of
//              it. Each object with the header in it is a library of its own.
//   hook       The program calls libnvToolsExt.so, and finds ours, because another tool is attached
//              to it, or none can be. Then what it answers is passed on.
//
// Push and pop return what they would without a tool. A range that starts has to have a number, and
// a domain a handle, by which it is known later; without a tool they would be 0.
#pragma once

#include "preload/nvtx/nvtx_types.h"

namespace memtrace::preload::nvtx {

#define MEMTRACE_NVTX(module, id, name, result, parameters, arguments) \
    result told_##name parameters;
#include "preload/nvtx/nvtx_functions.def"

// Puts our functions into the tables of the library that gives these; false: it has none.
bool attach(ExportTable tables);

// Whether the library with this code has us as its tool.
bool is_attached(const void* code);

// A library is gone, and another may come to its place.
void forget_attached();

// The numbers of ranges that are ours, and not another tool's.
bool is_own_range(RangeId range);

// A range to which somebody else gave its number.
void record_start(RangeId range, Domain* domain, const Attributes* event);

}  // namespace memtrace::preload::nvtx
