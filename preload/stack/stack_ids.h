// SPDX-License-Identifier: Apache-2.0
//
// Ids of stacks: the ids of their elements in the stack table.
#pragma once

#include <cstdint>

#include "memtrace/dump/names.h"
#include "preload/stack/merged_stack.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {

class Lane;

// Gives ids to the elements from `begin` inward of a stack with the native frames of `memo`.
void name_elements(Lane& lane, MergedStack& stack, uint32_t begin, const StackMemo& memo);

// Calculates the hashes of the elements from `begin` inward. `stack_end` tells how the stack ends
// at its outer side.
void find_hashes(MergedStack& stack, StackEnd stack_end, uint32_t begin);

// Returns the id of a stack of one frame that is cut outside this frame.
uint32_t name_cut(Lane& lane, Cut why, uint64_t address);

}  // namespace memtrace::preload
