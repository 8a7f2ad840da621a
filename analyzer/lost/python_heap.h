// SPDX-License-Identifier: Apache-2.0
//
// The heap of CPython in the memory of a process: the cells of its own allocator, and the objects
// that its garbage collector tracks. The forms are those of CPython 3.8 to 3.14 with the lock
// (Objects/obmalloc.c, Include/internal/pycore_gc.h); the build without it has no such lists.
//
//   arena ── pool ── cell cell cell …             cells of a pool have one size, up to 512 bytes
//   block    [2 words] next prev ┊ object         next and prev: of the collector's list
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

// True if the mapping is of a file of Python's interpreter.
bool is_interpreter(std::string_view path);

struct PythonPool {
    LostRange range;
    uint64_t cell_bytes = 0;
    uint64_t cells = 0;  // that were handed out once, from cells_offset on; some are free again
    static constexpr uint64_t cells_offset = 48;
};

// Returns the pools of an arena. What else lies in there is not known.
std::vector<PythonPool> find_python_pools(Memory& memory, LostRange arena);

// An object in a list of the collector. Whatever refers to it points to `object` or behind that;
// only the list points to what lies before.
struct TrackedObject {
    uint32_t block = 0;   // that it lies in
    uint32_t offset = 0;  // of the object in its block, in bytes
    uint32_t count = 0;   // of references to it
    // A weak reference: the word behind its type is the address of an object that it does not keep.
    bool is_weak = false;
    bool is_module = false;
};
inline constexpr uint64_t weak_word_offset = 16;  // from the object

// Returns the objects that lie in these blocks, in the order of addresses.
std::vector<TrackedObject> find_tracked_objects(Memory& memory, const BlockIndex& blocks);

// Returns the addresses of words in lists of free objects, which the interpreter keeps for some
// types. What a list has handed out again is still in there. `blocks`: cells and blocks of the
// heap.
std::vector<uint64_t> find_free_lists(Memory& memory, const BlockIndex& blocks);

// Returns the unused ends of the stacks on which Python keeps the variables of its functions, since
// 3.11. Old references are in there. `blocks`: of the heap, where the states of threads may lie.
std::vector<LostRange> find_unused_stacks(Memory& memory, const BlockIndex& blocks);

}  // namespace memtrace::analyzer
