// SPDX-License-Identifier: Apache-2.0
//
// Chooses the memory in which pointers are looked for first: everything that the program can write
// to and that is not the allocator's. That is more than some tools take, because a mapping that the
// program made itself may be where it keeps its pointers; so no block is called lost for want of
// looking.
//
//   roots        data of modules, stacks of live threads with their thread-local storage, mappings
//                that the program made, shared memory with and without a file, what the program
//                registered
//   no roots     the allocator's regions: of these only the blocks count, because what was freed
//                still has its old pointers; its lists of free memory; stacks of threads that have
//                ended; the shim's memory and its dump; devices
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

// What is known about the process beside its memory.
struct RootFacts {
    const LostRequest& request;
    const std::vector<LostRange>& mapped;  // that the program mapped itself, by address
    const BlockIndex& blocks;
    // There may be blocks that are not in `blocks`. They lie among these.
    bool has_older_blocks = false;
};

// By address, not overlapping.
struct Roots {
    std::vector<LostRange> whole;
    std::vector<LostRange> around_blocks;  // the allocator's regions, if there are older blocks
    // The loader's data, also in `whole`. It has its tables and the threads' stacks by addresses in
    // the middle of their blocks, and loses none of them.
    std::vector<LostRange> of_loader;
};

Roots find_roots(Memory& memory, const RootFacts& facts);

}  // namespace memtrace::analyzer
