// SPDX-License-Identifier: Apache-2.0
//
// Names of stacks: the ids of their elements in the stack table, found a part at a time. What has
// been met before a chain knows at once (chains.h); the rest is asked for or added, node by node.
#pragma once

#include <cstdint>

#include "memtrace/names.h"
#include "preload/merged_stack.h"
#include "preload/stack_walk.h"

namespace memtrace::preload {

class Lane;

// The part of a stack that a chain is about: `count` elements, outermost first. A chain begins with
// the innermost one.
struct StackPart {
    const uint64_t* words;
    const uint64_t* paths;
    uint32_t*       ids;
    uint32_t        count;

    uint64_t word(uint32_t i) const { return words[count - 1 - i]; }
    uint64_t path(uint32_t i) const { return paths[count - 1 - i]; }
    uint32_t& id(uint32_t i) const { return ids[count - 1 - i]; }
};

// Gives the frames of the part, which lie below `parent`, their ids. Whether a chain had them.
// `is_innermost`: the part ends its stack.
bool name_part(Lane& lane, const StackPart& part, uint32_t parent, bool is_innermost);

// Gives ids to the elements from `begin` inward, of a stack with the native frames of `memo`.
void name_elements(Lane& lane, MergedStack& stack, uint32_t begin, const StackMemo& memo);

// Finds the paths of the elements from `begin` inward. `stack_end`: how the stack ends at its outer
// side.
void find_paths(MergedStack& stack, StackEnd stack_end, uint32_t begin);

// The id of a stack of one frame, outside of which it is cut.
uint32_t name_cut(Lane& lane, Cut why, uint64_t address);

}  // namespace memtrace::preload
