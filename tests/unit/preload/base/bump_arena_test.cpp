// SPDX-License-Identifier: Apache-2.0
#include "preload/base/bump_arena.h"

#include <cstring>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("places follow one another, and lead to what was put there", "[place_arena]") {
    BumpArena arena;
    CHECK_FALSE(arena.is_there());
    REQUIRE(arena.prepare());
    const uint32_t first = arena.take(1);
    const uint32_t second = arena.take(BumpArena::unit_bytes + 1);
    const uint32_t third = arena.take(8);
    CHECK(first != BumpArena::no_place);
    CHECK(second == first + 1);
    CHECK(third == second + 2);
    arena.at<uint64_t>(second) = 7;
    CHECK(arena.place_of(arena.at<uint64_t>(second)) == second);
    CHECK(arena.at<uint64_t>(second) == 7);
}

TEST_CASE("no place is a place of zeros, whatever else is there", "[place_arena]") {
    struct Item {
        char bytes[BumpArena::zero_bytes];
    };
    BumpArena arena;
    REQUIRE(arena.prepare());
    for (int turn = 0; turn < 2; ++turn) {
        std::memset(&arena.at<char>(arena.take(100)), 0xff, 100);
        const Item zeros{};
        CHECK(std::memcmp(&arena.at<Item>(BumpArena::no_place), &zeros, sizeof zeros) == 0);
        arena.clear();
    }
}

TEST_CASE("it is full until it is cleared or may grow, and not without end", "[place_arena]") {
    BumpArena arena;
    REQUIRE(arena.prepare());
    const uint32_t clears = arena.clears();
    const auto fill = [&arena] {
        uint32_t taken = 0;
        while (arena.take(BumpArena::unit_bytes) != BumpArena::no_place) ++taken;
        return taken;
    };
    const uint32_t units = fill();
    CHECK(arena.bytes() == BumpArena::units_min * BumpArena::unit_bytes);
    arena.clear();
    CHECK(arena.clears() == clears + 1);
    CHECK(fill() == units);
    REQUIRE(arena.grow());
    CHECK(fill() == BumpArena::units_min);
    while (arena.grow()) continue;
    fill();
    CHECK(arena.bytes() == BumpArena::units_max * BumpArena::unit_bytes);
    // The last place fits in two bytes, too.
    arena.clear();
    uint32_t last = 0;
    while (const uint32_t place = arena.take(BumpArena::unit_bytes)) last = place;
    CHECK(last == 0xffff);
}
