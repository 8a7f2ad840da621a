// SPDX-License-Identifier: Apache-2.0
//
// The frames of a cached stack that was recognised lately, in a row. A cached stack is a chain: to
// follow it costs three times as much as to read a row, which matters in deep recursions.
#pragma once

#include <cstdint>

#include "preload/base/bump_arena.h"
#include "preload/python/cached_python_stack.h"
#include "preload/python/python_frame_reader.h"

namespace memtrace::preload {

// Of one thread. Zeroed memory is a valid object, and it stays forever.
class RecognisedFrames {
public:
    static constexpr uint32_t depth_max = 1024;

    // How many frames there are. None is valid after the arena was cleared.
    uint32_t count(const BumpArena& arena) const {
        return arena.clears() == in_clears_ ? count_ : 0;
    }
    const PythonFrame* frames() const { return frames_; }
    // Returns where the frame is cached, with those outside it. Counted from the outermost one.
    uint16_t place(uint32_t index) const { return places_[index]; }

    // Says that a stack was recognised, and how many of its outermost frames were found here. Takes
    // the stack over if that helped little several times.
    void note(const BumpArena& arena, const CachedPythonStack& stack, uint32_t shared) {
        if (stack.length - shared > chain_max && ++misses_ == misses_max) take(arena, stack);
    }

private:
    static constexpr uint32_t chain_max = 8;   // frames of a chain that are compared soon enough
    static constexpr uint32_t misses_max = 4;  // Stacks may alternate.

    void take(const BumpArena& arena, const CachedPythonStack& stack);

    PythonFrame* frames_ = nullptr;  // outermost first
    uint16_t* places_ = nullptr;
    uint32_t count_ = 0;
    uint32_t in_clears_ = 0;  // of the arena, when the stack was taken over
    uint32_t misses_ = 0;
};

}  // namespace memtrace::preload
