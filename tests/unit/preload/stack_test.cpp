// SPDX-License-Identifier: Apache-2.0
//
// The table of chains. Stacks as a whole are tested by programs: see scripts/tidy_rules.py.
#include "preload/stack.h"

#include <cstring>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

ChainTable::Chain chain_of(uint32_t parent, uint64_t first_frame, uint32_t id = 0) {
    ChainTable::Chain chain;
    chain.parent = parent;
    chain.id = id;
    for (unsigned i = 0; i < 3; ++i) chain.frames[i] = first_frame + i * 0x10;
    return chain;
}

// 0: it is not there.
uint32_t find(ChainTable& table, const ChainTable::Chain& chain) {
    const ChainTable::Chain* place = table.place_of(chain);
    if (place == nullptr || place->parent != chain.parent) return 0;
    const bool is_same = std::memcmp(place->frames, chain.frames, sizeof chain.frames) == 0;
    return is_same ? place->id : 0;
}

}  // namespace

TEST_CASE("a chain that was put is found by its parent and frames", "[stack]") {
    ChainTable table;
    const auto chain = chain_of(7, 0x1000, 42);
    CHECK(find(table, chain) == 0);
    table.put(table.place_of(chain), chain);
    CHECK(find(table, chain_of(7, 0x1000)) == 42);
    CHECK(find(table, chain_of(8, 0x1000)) == 0);
    CHECK(find(table, chain_of(7, 0x2000)) == 0);
    auto shorter = chain_of(7, 0x1000);
    shorter.frames[2] = 0;
    CHECK(find(table, shorter) == 0);
}

TEST_CASE("what is put last is there, however many were before it", "[stack]") {
    ChainTable table;
    unsigned lost = 0;
    for (uint32_t i = 1; i <= 50'000; ++i) {
        const auto chain = chain_of(i, 0x1000, i);
        table.put(table.place_of(chain), chain);
        // When the table has just grown it is empty.
        lost += find(table, chain) != i;
    }
    CHECK(lost <= 4);
}

TEST_CASE("a table that has grown holds more than a small one", "[stack]") {
    ChainTable table;
    constexpr uint32_t chains = 2'000;
    for (int turn = 0; turn < 2; ++turn) {
        for (uint32_t i = 1; i <= chains; ++i) {
            const auto chain = chain_of(i, 0x1000, i);
            if (find(table, chain) == 0) table.put(table.place_of(chain), chain);
        }
    }
    unsigned found = 0;
    for (uint32_t i = 1; i <= chains; ++i) found += find(table, chain_of(i, 0x1000)) == i;
    CHECK(found > chains / 2);
}

TEST_CASE("nothing is left after clear, and the table can be used again", "[stack]") {
    ChainTable table;
    table.clear();
    for (uint32_t i = 1; i <= 300; ++i) {
        const auto chain = chain_of(i, 0x1000, i);
        table.put(table.place_of(chain), chain);
    }
    table.clear();
    unsigned found = 0;
    for (uint32_t i = 1; i <= 300; ++i) found += find(table, chain_of(i, 0x1000)) != 0;
    CHECK(found == 0);
    const auto chain = chain_of(1, 0x1000, 9);
    table.put(table.place_of(chain), chain);
    CHECK(find(table, chain) == 9);
}

TEST_CASE("a frame's kind is part of its word", "[stack]") {
    StackFrame frame;
    frame.pc = 0x7fff12345678;
    const uint64_t native = ChainTable::word_of(frame);
    frame.kind = memtrace::NodeKind::entry;
    CHECK(ChainTable::word_of(frame) != native);
    CHECK((ChainTable::word_of(frame) & 0xffffffffffff) == frame.pc);
}
