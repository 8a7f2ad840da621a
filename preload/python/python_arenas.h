// SPDX-License-Identifier: Apache-2.0
//
// Recognises mappings that are arenas of Python's object allocator. The allocator maps them by one
// small function, whose address the interpreter reports. All arenas have one size.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Queries the interpreter that find_python() has found. If a program has its own arenas
// (PyObject_SetArenaAllocator), they lie elsewhere and are not recognised.
void find_python_arenas();

// Result of find_python_arenas(); 0 if none was found.
extern uint64_t python_arena_function;
extern uint64_t python_arena_bytes;

// True if pages that the code at `caller` (a return address) has just mapped are an arena.
inline bool is_python_arena(uint64_t caller, uint64_t size) {
    constexpr uint64_t function_bytes_max = 128;
    return size == python_arena_bytes && caller - python_arena_function < function_bytes_max;
}

}  // namespace memtrace::preload
