// SPDX-License-Identifier: Apache-2.0
//
// Where are we? The call stack of an event as its id in the stack table.
#pragma once

#include <cstdint>

#include "memtrace/records.h"
#include "preload/stack_walk.h"

namespace memtrace::preload {

class Lane;

inline constexpr uint32_t stack_depth_limit = 4096;  // what the option `depth` may ask for

// Finds the id of a few frames below a known stack with one look: a small table that only its thread
// uses. A stack differs from the last one by some frames at its inner end, and mostly by frames that
// have been seen before.
class ChainTable {
public:
    static constexpr uint32_t frames_max = 7;  // as many as fit a cache line with the two ids

    // A frame with its kind, in one word: address:48 kind:16.
    static uint64_t word_of(const StackFrame& frame) {
        return (frame.pc & 0xffffffffffffu) | static_cast<uint64_t>(frame.kind) << 48;
    }

    struct alignas(64) Chain {
        uint32_t parent = 0;
        uint32_t id = 0;  // 0: free
        uint64_t frames[frames_max] = {};  // outermost first; zeros behind the last
    };

    // The place where the chain is or would be; nullptr: there is no memory.
    Chain* place_of(const Chain& chain);

    // Writes a chain to its place.
    void put(Chain* place, const Chain& chain);

    void clear();

private:
    bool grow();

    Chain*   chains_ = nullptr;
    unsigned bits_ = 0;
    uint32_t written_ = 0;
};

// What a lane needs to name its thread's stacks.
struct StackNames {
    StackWalker walker;
    ChainTable  chains;
    uint64_t    generation = 0;  // of the stack table: ids of another one are void
};

// The id of the stack of the hook with the frame pointer `frame` (MEMTRACE_FRAME): its caller is the
// innermost frame. New nodes are written to the lane before the id is returned.
uint32_t capture_stack(Lane& lane, const void* frame);

// The id of a stack of one frame, the caller of that hook, that is marked as cut for `why`.
uint32_t cut_stack(Lane& lane, const void* frame, Cut why);

}  // namespace memtrace::preload
