// SPDX-License-Identifier: Apache-2.0
//
// Pointers into the middle of a block that are all that a program keeps of it, by the rules of C++
// and of libraries:
//
//   24 bytes in    a string of old libstdc++: length, capacity and count come before its text
//   8 bytes in     an array of objects with destructors: their number comes first. Objects that
//                  are aligned to 16 bytes or more begin there, and an array of none at the end
//   8 bytes in     a block whose own size comes first, as sqlite and others do
//   16 bytes in    the vector of a thread's thread-local variables, as glibc points to it
//   anywhere       a base of an object: both there and at the beginning lies a pointer to a table
//                  of virtual functions
//
// They are the rules of memcheck (--leak-check-heuristics=all), so that both tools agree, and one
// more: memcheck calls the vector of each running thread possibly lost.
#pragma once

#include <cstdint>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

// True if the objects of an array may begin so many bytes behind the beginning of its block.
bool is_head_of_array(uint64_t bytes);

class InteriorPointers {
public:
    explicit InteriorPointers(Memory& memory) : memory_(memory) {}

    // True if `address`, in the middle of the block or at its end, is such a pointer.
    bool is_as_good(const SearchedBlock& block, uint64_t address);

private:
    bool is_old_string(const SearchedBlock& block, uint64_t address);
    bool is_array(const SearchedBlock& block, uint64_t address);
    bool has_own_size(const SearchedBlock& block, uint64_t address);
    bool is_thread_vector(const SearchedBlock& block, uint64_t address);
    bool is_base(const SearchedBlock& block, uint64_t address);
    bool is_table_of_functions(uint64_t address);
    const Mapping* mapping_of(uint64_t address) const;

    Memory& memory_;
};

}  // namespace memtrace::analyzer
