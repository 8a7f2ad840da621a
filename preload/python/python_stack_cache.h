// SPDX-License-Identifier: Apache-2.0
//
// Python's part of a cached stack (cached_stack.h): the frames that a walk found, innermost first.
// Stacks of Python share their outer frames, as native ones do, and many native stacks have the
// same one.
#pragma once

#include <cstdint>

#include "preload/base/bump_arena.h"
#include "preload/python/python_frame_reader.h"
#include "preload/python/python_walker.h"
#include "preload/unwind/stack_cache.h"

namespace memtrace::preload {

// A frame and all that are outside of it, in the arena of a thread's cached stacks. Where a frame
// lies tells nothing about what it is: those of generators, and before 3.11 all of them, lie
// elsewhere each time.
struct CachedPythonStack {
    PythonFrame frame;     // its address: where it lay the last time
    uint64_t freed_codes;  // FreedCodes::count() when the code objects of all were still there
    uint16_t outer;        // the place of the next frame; no_place: there is none
    uint16_t length;       // of the stack. 0: it has no frames, and this is none
    uint16_t older;        // the place of another one with that hash
    PythonStackStatus status;
};

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
