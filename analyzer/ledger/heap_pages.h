// SPDX-License-Identifier: Apache-2.0
//
// Divides the resident bytes of a piece of heap among live blocks, their overhead, and free memory.
//
//   chunk   hhhhBBBBBBBBBBrr...............hhhhBBBBrr..........
//               block     rounding   gap       block    top
//
// An allocator like glibc's gives memory back from the top of a heap only. So a live block keeps
// all free pages below it: it *pins* them. A gap is attributed to the block directly above it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/ledger/held_memory.h"
#include "analyzer/ledger/resident_ranges.h"

namespace memtrace::analyzer {

enum class HeapKind : uint8_t {
    growing,       // glibc's: the brk heap, or an arena
    single_block,  // glibc's: a mapping for one block
    unknown,       // of another allocator, or of the interpreter: blocks without headers
};

// Sizes are resident bytes.
struct HeapUse {
    uint64_t blocks = 0;
    uint64_t overhead = 0;
    uint64_t free = 0;
    uint64_t free_pages = 0;           // part of `free`
    uint64_t free_at_top = 0;          // part of `free`: pages above the last block
    uint64_t pinned = 0;               // part of `free`: pages below a block
    std::map<uint32_t, HostPin> pins;  // by stack

    uint64_t sum() const { return blocks + overhead + free; }
};

// Adds the piece to `use`. `blocks`: those that begin in the piece, by address.
void add_heap_piece(HeapUse& use, const AddressRange& piece, HeapKind kind,
                    std::span<const HeldBlock> blocks, const ResidentRanges& resident);

// Returns the pins that keep most, the largest first.
std::vector<HostPin> largest_pins(const HeapUse& use, size_t count);

}  // namespace memtrace::analyzer
