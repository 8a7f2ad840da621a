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
    const NodeKind* kinds;
    uint32_t*       ids;
    uint32_t        count;

    uint64_t word(uint32_t i) const { return words[count - 1 - i]; }
    uint64_t path(uint32_t i) const { return paths[count - 1 - i]; }
    NodeKind kind(uint32_t i) const { return kinds[count - 1 - i]; }
    uint32_t& id(uint32_t i) const { return ids[count - 1 - i]; }
};

struct NamedPart {
    bool     was_known;  // a chain had the frames
    uint32_t place;      // of their chain; ChainTable::no_place: they have none
};

// Gives the frames of the part, which lie below `parent`, their ids. `depth`: how many native
// frames the stack has if the part is its innermost one; else 0.
NamedPart name_part(Lane& lane, const StackPart& part, uint32_t depth, uint32_t parent);

// Gives ids to the elements from `begin` inward, of a stack with the native frames of `memo`.
void name_elements(Lane& lane, MergedStack& stack, uint32_t begin, const StackMemo& memo);

// Makes the paths of the elements [begin, end), and all outside of them, known; 0 stands for one
// that is not. `stack_end`: how the stack ends at its outer side.
void find_paths(MergedStack& stack, StackEnd stack_end, uint32_t begin, uint32_t end);

// The id of a stack of one frame, outside of which it is cut.
uint32_t name_cut(Lane& lane, Cut why, uint64_t address);

}  // namespace memtrace::preload
