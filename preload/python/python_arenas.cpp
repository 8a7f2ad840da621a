// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_arenas.h"

#include <cstddef>

#include "preload/python/python_runtime.h"

namespace memtrace::preload {

uint64_t python_arena_function = 0;
uint64_t python_arena_bytes = 0;

namespace {

// PyObjectArenaAllocator, as the interpreter's documentation declares it.
struct ArenaAllocator {
    void* context;
    void* (*allocate)(void* context, size_t size);
    void (*free)(void* context, void* pages, size_t size);
};

}  // namespace

void find_python_arenas() {
    if (python.get_arena_allocator == nullptr) return;
    ArenaAllocator allocator = {};
    python.get_arena_allocator(&allocator);
    python_arena_function = reinterpret_cast<uint64_t>(allocator.allocate);
    // The address tree that came with 3.10 made larger arenas possible.
    constexpr uint32_t minor_with_tree = 10;
    python_arena_bytes =
        python.layout.minor >= minor_with_tree ? uint64_t{1} << 20 : uint64_t{1} << 18;
}

}  // namespace memtrace::preload
