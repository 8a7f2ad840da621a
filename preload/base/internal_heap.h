// SPDX-License-Identifier: Apache-2.0
//
// Memory for allocations that the shim causes itself: dlopen and dlsym call malloc, and so do the
// libraries that the shim loads. These blocks do not belong to the program. They come from here, so
// that the program's heap, and the record of it, are the same as without the shim.
//
// A bump allocator in one private mapping; freeing does nothing. It is lock-free and usable before
// any other part of the shim is ready. The hooks of free() and realloc() check
// internal_heap_contains().
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload {

// Returns nullptr if the mapping fails or is used up.
void* internal_heap_allocate(size_t size, size_t alignment = 16);

// Moves a block to a larger place. `block` may be nullptr.
void* internal_heap_resize(void* block, size_t size);

[[gnu::visibility("hidden")]] extern uintptr_t internal_heap_begin;
inline constexpr size_t own_heap_bytes = size_t{16} << 20;

inline bool internal_heap_contains(const void* pointer) {
    const uintptr_t begin = internal_heap_begin;
    return begin != 0 && reinterpret_cast<uintptr_t>(pointer) - begin < own_heap_bytes;
}

}  // namespace memtrace::preload
