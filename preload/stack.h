// SPDX-License-Identifier: Apache-2.0
//
// Where are we? The call stack of an event, as return addresses, and its id in the stack table.
#pragma once

#include <atomic>
#include <cstdint>

#include "memtrace/records.h"

namespace memtrace::preload {

class Lane;

inline constexpr uint32_t stack_depth_limit = 4096;  // what the option `depth` may ask for

// The last stack of a lane: the next one mostly shares its outer part, and with it the ids.
struct StackMemory {
    uint64_t* addresses = nullptr;  // outermost first
    uint32_t* ids = nullptr;
    uint32_t  length = 0;
    uint64_t  generation = 0;       // of the stack table; other ids are void
    uint64_t* scratch = nullptr;    // where the unwinder writes, innermost first
    std::atomic<bool> in_unwinder{false};
};

// The id of the stack whose innermost frame is `caller`, the return address of the hook that calls
// this. New nodes are written to the lane before the id is returned.
uint32_t capture_stack(Lane& lane, void* caller);

// The id of a stack of one frame that is marked as cut for `why`.
uint32_t cut_stack(Lane& lane, void* caller, Cut why);

}  // namespace memtrace::preload
