// SPDX-License-Identifier: Apache-2.0
//
// Python's part of a cached stack (cached_stack.h): the frames that a walk found, innermost first.
// Stacks of Python share their outer frames, as native ones do, and many native stacks have the
// same one.
#pragma once

#include <cstdint>

#include "preload/base/bump_arena.h"
#include "preload/python/cached_python_stack.h"
#include "preload/python/python_walker.h"
#include "preload/unwind/stack_cache.h"

namespace memtrace::preload {

// The stacks of Python that one thread's cached stacks need.
class PythonStackCache {
public:
    // Makes a cached stack of a stack that the thread has just walked, or finds it; no_place where
    // there is no Python. False: it could not be recognised, or there is no room.
    bool add(StackCache& stack_cache, const PythonStack& stack, uint32_t& place);

    // Whether a walk of the thread would find that stack again; counts it as if it had.
    static bool holds(const BumpArena& arena, uint32_t place, PythonWalker& walker);

private:
    static constexpr unsigned table_bits = 9;

    uint16_t find_or_add(StackCache& stack_cache, const CachedPythonStack& wanted);

    uint16_t* newest_ = nullptr;  // places by hash
    uint32_t clears_ = 0;         // of the arena, when that was taken
};

}  // namespace memtrace::preload
