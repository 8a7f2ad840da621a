// SPDX-License-Identifier: Apache-2.0
#include "preload/chains.h"

#include "preload/stack_table.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Chains of `count` frames that differ in a number, as a thread would keep them.
class Chains {
public:
    Chains() { REQUIRE(table.has_lines()); }

    static uint64_t path_of(uint64_t number) { return path_hash(0, number, NodeKind::native); }

    // With all upper bits set: what is written by mistake into the ids of another chain shows.
    static uint32_t id_of(uint64_t number, uint32_t i) {
        return ~static_cast<uint32_t>(number * 10 + i);
    }

    void add(uint64_t number, uint32_t count) {
        table.add(path_of(number), count, true, true, 0, [&](const ChainView& chain) {
            chain.head.parent = 7;
            for (uint32_t i = 0; i < count; ++i) {
                chain.frame(i) = number * 100 + i;
                chain.id(i) = id_of(number, i);
            }
        });
    }

    static bool is(const ChainView& chain, uint64_t number, uint32_t count) {
        if (!chain.is_whole() || chain.head.parent != 7 || chain.head.count != count) return false;
        for (uint32_t i = 0; i < count; ++i) {
            if (chain.frame(i) != number * 100 + i) return false;
        }
        for (uint32_t i = 0; i < count; ++i) CHECK(chain.id(i) == id_of(number, i));
        return true;
    }

    bool finds(uint64_t number, uint32_t count) {
        const auto is_it = [&](const ChainView& chain) { return is(chain, number, count); };
        return table.find(path_of(number), true, is_it);
    }

    ChainTable table;
};

}  // namespace

TEST_CASE("a chain is found by its path, short or long", "[chains]") {
    Chains chains;
    for (uint32_t count = 1; count <= chain_frames_max; ++count) {
        chains.add(count, count);
        CHECK(chains.finds(count, count));
        CHECK_FALSE(chains.finds(count, count == 1 ? 2 : count - 1));
    }
    CHECK_FALSE(chains.finds(100, 4));
}

TEST_CASE("a chain knows which one came three stacks later", "[chains]") {
    Chains chains;
    for (unsigned round = 0; round < 2; ++round) {
        for (uint64_t number = 1; number <= 5; ++number) {
            if (!chains.finds(number, 9)) chains.add(number, 9);
        }
    }
    uint32_t ahead = 0;
    REQUIRE(chains.table.find(Chains::path_of(1), false, [&](const ChainView& chain) {
        ahead = chain.head.ahead;
        return Chains::is(chain, 1, 9);
    }));
    CHECK(Chains::is(chains.table.at(ahead), 4, 9));
}

TEST_CASE("whatever is overwritten, ids are those of the whole chain or none", "[chains]") {
    Chains chains;
    unsigned found = 0;
    for (uint64_t round = 0; round < 20; ++round) {
        for (uint64_t number = 1; number <= 2'000; ++number) {
            // The same path with more or fewer frames is another chain: find() must not mix them.
            const auto count = static_cast<uint32_t>((number * 7 + round % 3) % 9 + 1);
            if (chains.finds(number, count)) ++found;
            else chains.add(number, count);
        }
    }
    CHECK(found > 1'000);
}

TEST_CASE("a program that does the same again is known nearly whole", "[chains]") {
    Chains chains;
    constexpr uint64_t numbers = 3'000;
    for (unsigned round = 0; round < 40; ++round) {
        for (uint64_t number = 1; number <= numbers; ++number) {
            if (!chains.finds(number, 3)) chains.add(number, 3);
        }
    }
    uint64_t known = 0;
    for (uint64_t number = 1; number <= numbers; ++number) known += chains.finds(number, 3);
    CHECK(known > numbers * 95 / 100);
}

TEST_CASE("after clear nothing is found", "[chains]") {
    Chains chains;
    chains.add(1, 9);
    chains.add(2, 9);
    chains.table.clear();
    CHECK_FALSE(chains.finds(1, 9));
}
