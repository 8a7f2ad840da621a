// SPDX-License-Identifier: Apache-2.0
//
// A memory for tests with an arena of CPython: one pool of cells of 64 bytes, and types.
#pragma once

#include "analyzer/lost/block_index.h"
#include "tests/unit/analyzer/lost/made_up_memory.h"

namespace memtrace::analyzer {

class PythonMemory : public MadeUpMemory {
public:
    static constexpr uint64_t pool = 0x7f0000000000, pool_bytes = 16384, cell_bytes = 64;
    static constexpr uint64_t cells = 4;
    static constexpr uint64_t list_head = 0x500000;  // of the collector, in the interpreter
    static constexpr uint64_t type = 0x600000, plain_type = 0x610000, type_of_types = 0x620000;
    static constexpr uint64_t weak_type = 0x630000, derived_type = 0x640000, name = 0x650000;

    PythonMemory() {
        const uint64_t size_class = cell_bytes / 16 - 1;
        const uint64_t next_offset = 48 + cells * cell_bytes, last_offset = pool_bytes - cell_bytes;
        put(pool, {cells, 0, 0, 0, size_class << 32, next_offset | last_offset << 32});
        put_type(type, true);
        put_type(plain_type, false);
        put_type(type_of_types, true);
        put_type(weak_type, true);
        put_type(derived_type, true);
        put(weak_type + 24, {name});
        put(name, {0x66'65'72'6b'61'65'77});  // "weakref"
        put(derived_type + 256, {weak_type});
    }

    LostRange arena() const { return {pool, pool + pool_bytes}; }
    uint64_t cell(uint64_t number) const { return pool + 48 + number * cell_bytes; }
    std::vector<SearchedBlock> all_cells() const {
        std::vector<SearchedBlock> blocks;
        for (uint64_t i = 0; i < cells; ++i) blocks.push_back({cell(i), cell_bytes});
        return blocks;
    }
    // Where references to the object of a cell point to.
    uint64_t object(uint64_t number) const { return cell(number) + 16; }

    // Puts an object into a cell, between two others in the list of the collector.
    void put_object(uint64_t number, uint64_t previous, uint64_t next, uint64_t its_type = type) {
        put(cell(number), {next, previous | 1, 1, its_type});
    }
    // Lets the object refer to an address.
    void refer(uint64_t number, uint64_t address) { put(object(number) + 16, {address}); }

private:
    void put_type(uint64_t address, bool is_collected) {
        put(address, {1, type_of_types});
        put(address + 168, {is_collected ? uint64_t{1} << 14 : 0});
    }
};

}  // namespace memtrace::analyzer
