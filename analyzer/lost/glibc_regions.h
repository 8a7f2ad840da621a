// SPDX-License-Identifier: Apache-2.0
//
// Where glibc's malloc keeps its own data, told by what lies there, because no symbol tells it.
// Pointers in these data lead to the heads of free chunks. A head overlaps the end of the block
// before it, so that block would seem to have a pointer into its middle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

// Returns the state of the main arena (main_arena in libc's data), if the range has it: the heads
// of its lists of free chunks. An empty list points to itself, 16 bytes before its place.
std::optional<LostRange> find_main_arena(Memory& memory, LostRange data);

// Returns where the top of the main arena begins, the free chunk behind all others. `arena` is what
// find_main_arena() returns.
uint64_t top_of(Memory& memory, LostRange arena);

// Returns the parts of the main arena's heap that are not its own: a program may take memory by
// sbrk(), too, and malloc() goes on behind that. `top` is in the heap.
std::vector<LostRange> parts_of_others(Memory& memory, LostRange heap, uint64_t top,
                                       const BlockIndex& blocks);

// True if a further arena's heap begins at the mapping's begin.
bool is_arena_heap(Memory& memory, const Mapping& mapping);

// Returns the pages of a block that has a mapping of its own.
std::optional<LostRange> own_mapping_of(Memory& memory, const SearchedBlock& block);

}  // namespace memtrace::analyzer
