// SPDX-License-Identifier: Apache-2.0
//
// Memory for allocations that we cause ourselves: dlopen and dlsym call malloc, and so do the
// libraries that we load. Those blocks are not the program's. They come from here, so that the
// program's heap, and the record of it, are what they would be without us.
//
// A bump allocator in one private mapping; freeing does nothing. Lock-free, usable before any
// other part of the shim is ready. free() and realloc() of the program ask
// internal_heap_contains().
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload {

// nullptr when the mapping cannot be had or is used up.
void* internal_heap_allocate(size_t size, size_t alignment = 16);

// Moves a block to a larger place; block may be nullptr.
void* internal_heap_resize(void* block, size_t size);

extern uintptr_t internal_heap_begin;
inline constexpr size_t own_heap_bytes = size_t{16} << 20;

inline bool internal_heap_contains(const void* pointer) {
    const uintptr_t begin = internal_heap_begin;
    return begin != 0 && reinterpret_cast<uintptr_t>(pointer) - begin < own_heap_bytes;
}

}  // namespace memtrace::preload
