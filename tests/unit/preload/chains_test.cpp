// SPDX-License-Identifier: Apache-2.0
#include "preload/chains.h"

#include "preload/stack_table.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

constexpr uint64_t rule = uint64_t{1} << 48;  // Python's frames have none

// Chains of `count` frames that differ in a number, as a thread would keep them.
class Chains {
public:
    Chains() { REQUIRE(table.has_lines()); }

    static uint64_t path_of(uint64_t number) { return path_hash(0, number, NodeKind::native); }

    // With all upper bits set: what is written by mistake into the ids of another chain shows.
    static uint32_t id_of(uint64_t number, uint32_t i) {
        return ~static_cast<uint32_t>(number * 10 + i);
    }

    // Returns the chain's place.
    uint32_t add(uint64_t number, uint32_t count, uint32_t parent = 7, bool is_innermost = true) {
        const auto fill = [&](const ChainView& chain) {
            chain.head.parent = parent;
            for (uint32_t i = 0; i < count; ++i) {
                chain.frame(i) = rule | (number * 100 + i);
                chain.id(i) = id_of(number, i);
            }
        };
        return table.add(path_of(number), count, is_innermost, true, 0, fill);
    }

    static bool is(const ChainView& chain, uint64_t number, uint32_t count) {
        if (!chain.is_whole() || chain.head.parent != 7 || chain.head.count != count) return false;
        for (uint32_t i = 0; i < count; ++i) {
            if (chain.frame(i) != (rule | (number * 100 + i))) return false;
        }
        for (uint32_t i = 0; i < count; ++i) CHECK(chain.id(i) == id_of(number, i));
        return true;
    }

    bool finds(uint64_t number, uint32_t count) {
        const auto is_it = [&](const ChainView& chain) { return is(chain, number, count); };
        return table.find(path_of(number), true, is_it) != ChainTable::no_place;
    }

    ChainTable table;
};

}  // namespace

TEST_CASE("a chain is found by its path, short or long", "[chains]") {
    Chains chains;
    for (uint32_t count = 1; count <= expected_frames_max; ++count) {
        chains.add(count, count);
        CHECK(chains.finds(count, count));
        CHECK_FALSE(chains.finds(count, count == 1 ? 2 : count - 1));
    }
    CHECK_FALSE(chains.finds(100, 4));
}

TEST_CASE("a chain says how deep its stack was, as far as its bits go", "[chains]") {
    Chains chains;
    for (const uint32_t depth : {1u, 31u, 32u, 1000u}) {
        const uint32_t place = chains.add(depth, 9);
        chains.table.at(place).note_depth(depth);
        CHECK(chains.table.at(place).expectation(1).depth == (depth & Expectation::depth_mask));
        CHECK(chains.finds(depth, 9));
    }
}

TEST_CASE("the chain that came next is expected next, and the frames it is known by", "[chains]") {
    Chains chains;
    for (const uint64_t number : {1, 2, 3}) chains.add(number, 3 + static_cast<uint32_t>(number));
    REQUIRE(chains.finds(1, 4));
    REQUIRE(Chains::is(chains.table.expected(), 2, 5));
    Expectation expected = chains.table.expected().expectation(1);
    CHECK(expected.count == 5);
    for (uint64_t i = 0; i < 5; ++i) CHECK(expected.take() == (rule | (200 + i)));
    CHECK(expected.take() == 0);
    chains.table.follow_expected();
    CHECK(Chains::is(chains.table.expected(), 3, 6));
    // Another time something else comes after 1.
    REQUIRE(chains.finds(1, 4));
    REQUIRE(chains.finds(3, 6));
    REQUIRE(chains.finds(1, 4));
    CHECK(Chains::is(chains.table.expected(), 3, 6));
}

TEST_CASE("chains of one stack lead outward as long as they belong together", "[chains]") {
    Chains chains;
    // The outer chain's innermost frame is the parent of the inner one.
    const uint32_t before = chains.add(1, 3);
    const uint32_t outer = chains.add(2, 5, 7, false);
    const uint32_t inner = chains.add(3, expected_frames_max, Chains::id_of(2, 0));
    chains.table.link(inner, outer);
    const auto come_again = [&] {
        return chains.table.find(Chains::path_of(1), true, [](const ChainView&) { return true; });
    };
    REQUIRE(come_again() == before);
    ExpectedChains expected = chains.table.all_expected();
    REQUIRE(expected.count == 2);
    CHECK(expected.places[0] == inner);
    CHECK(expected.places[1] == outer);
    // Another one of the same length comes to that place.
    chains.table.at(outer).id(0) = 8;
    CHECK(chains.table.all_expected().count == 1);
    chains.table.at(outer).head.stamp = 0;
    CHECK(chains.table.all_expected().count == 1);
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

TEST_CASE("after clear nothing is found and nothing expected", "[chains]") {
    Chains chains;
    chains.add(1, 9);
    chains.add(2, 9);
    chains.table.clear();
    CHECK_FALSE(chains.finds(1, 9));
    CHECK(chains.table.expected().expectation(1).count == 0);
}
