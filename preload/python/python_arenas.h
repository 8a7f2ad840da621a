// SPDX-License-Identifier: Apache-2.0
//
// Which mappings are arenas of Python's object allocator. It maps them by one small function of its
// own, whose address the interpreter tells; and they have one size.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Asks the interpreter that find_python() has found. A program that brings arenas of its own
// (PyObject_SetArenaAllocator) has them elsewhere, and none are known.
void find_python_arenas();

// Where find_python_arenas() found the function; 0: nowhere.
extern uint64_t python_arena_function;
extern uint64_t python_arena_bytes;

// Whether pages that the code at `caller` (a return address) has just mapped are an arena.
inline bool is_python_arena(uint64_t caller, uint64_t size) {
    constexpr uint64_t function_bytes_max = 128;
    return size == python_arena_bytes && caller - python_arena_function < function_bytes_max;
}

}  // namespace memtrace::preload
