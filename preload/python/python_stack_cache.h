// SPDX-License-Identifier: Apache-2.0
//
// The Python part of a cached stack (cached_stack.h): the frames that a walk found, innermost
// first. Python stacks share their outer frames, as native stacks do. Many native stacks have the
// same Python stack.
#pragma once

#include <cstdint>

#include "preload/base/bump_arena.h"
#include "preload/python/cached_python_stack.h"
#include "preload/python/python_walker.h"
#include "preload/unwind/stack_cache.h"

namespace memtrace::preload {

// The Python stacks that one thread's cached stacks need.
class PythonStackCache {
public:
    // Adds or finds the cached form of a stack that the thread has just walked. `place` becomes
    // no_place if there is no Python. Returns false if the stack could not be recognised again, or
    // if there is no room.
    bool add(StackCache& stack_cache, const PythonStack& stack, uint32_t& place);

    // True if a walk of the thread would find this stack again. Counts it like a walk.
    static bool holds(const BumpArena& arena, uint32_t place, PythonWalker& walker);

private:
    static constexpr unsigned table_bits = 9;

    uint16_t find_or_add(StackCache& stack_cache, const CachedPythonStack& wanted);

    uint16_t* newest_ = nullptr;  // places by hash
    uint32_t clears_ = 0;         // of the arena, when the table was taken
};

}  // namespace memtrace::preload
