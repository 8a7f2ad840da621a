// SPDX-License-Identifier: Apache-2.0
//
// Garbage of Python: objects that refer to each other and that nothing else refers to. Reference
// counts do not free them, and the garbage collector has not done it yet. Its lists lead to every
// object that it tracks, so an ordinary search calls all of them reachable. Here the lists do not
// count:
//
//   roots without Python's arenas ─► blocks and cells ─► …         in use
//   tracked objects that are not in use ─► blocks and cells ─► …   garbage, and what only it holds
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/pointer_search.h"
#include "analyzer/lost/process_memory.h"
#include "analyzer/lost/range_set.h"

namespace memtrace::analyzer {

struct PythonFacts {
    const BlockIndex& blocks;              // of the heap
    const std::vector<LostRange>& arenas;  // of Python's allocator
    const PointerSearch::IsAsGood& is_as_good;
    // Adds all roots to a search of these blocks, but for what lies in `without`.
    std::function<void(PointerSearch& search, const BlockIndex& blocks, const RangeSet& without)>
        add_roots;
};

// True if the process may run Python.
bool has_python(Memory& memory, const std::vector<LostRange>& arenas);

// Returns the addresses of blocks that only garbage holds, sorted.
std::vector<uint64_t> find_python_garbage(Memory& memory, const PythonFacts& facts);

}  // namespace memtrace::analyzer
