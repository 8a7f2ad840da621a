// SPDX-License-Identifier: Apache-2.0
#include "preload/line_table.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

struct alignas(64) Line {
    uint64_t key = 0;  // 0: free
    uint64_t content = 0;
    uint64_t unused[6] = {};
};

uint64_t hash_of(uint64_t key) { return key * 0x9e3779b97f4a7c15u; }

// The `uses`-th question to the table was in vain. What it asked for was there before, or is new.
void write(LineTable<Line>& table, uint64_t key, bool is_back = true, uint64_t uses = 0) {
    Line& line = table[table.place_of(hash_of(key))];
    line.key = key;
    line.content = key * 3;
    table.note_write(is_back, uses);
}

bool holds(LineTable<Line>& table, uint64_t key) {
    const Line& line = table[table.place_of(hash_of(key))];
    return line.key == key && line.content == key * 3;
}

}  // namespace

TEST_CASE("a table has no memory before it is used", "[line_table]") {
    LineTable<Line> table;
    CHECK(table.bytes() == 0);
    table.clear();
    CHECK(table.bytes() == 0);
    REQUIRE(table.has_lines());
    CHECK(table.bytes() == sizeof(Line) << LineTable<Line>::bits_first);
    CHECK_FALSE(holds(table, 1));
}

TEST_CASE("a line that was written is found by its hash", "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    for (uint64_t key = 1; key <= 8; ++key) {
        write(table, key);
        CHECK(holds(table, key));
    }
    CHECK_FALSE(holds(table, 9));
}

TEST_CASE("what is written last is there, unless the table has just grown", "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    unsigned grown = 0;
    unsigned lost = 0;
    for (uint64_t key = 1; key <= 400'000; ++key) {
        const uint64_t bytes = table.bytes();
        write(table, key);
        if (table.bytes() != bytes) ++grown;
        else lost += !holds(table, key);
    }
    CHECK(lost == 0);
    CHECK(grown == (LineTable<Line>::bits_max - LineTable<Line>::bits_first + 1) / 2);
    CHECK(table.bytes() == sizeof(Line) << LineTable<Line>::bits_max);
}

TEST_CASE("a table that is too small grows until it holds what is used", "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    constexpr uint64_t keys = 1'000;
    for (int turn = 0; turn < 3; ++turn) {
        for (uint64_t key = 1; key <= keys; ++key) {
            if (!holds(table, key)) write(table, key);
        }
    }
    unsigned found = 0;
    for (uint64_t key = 1; key <= keys; ++key) found += holds(table, key);
    CHECK(found > keys / 2);
}

TEST_CASE("a table stays small where all that it is asked for is new", "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    for (uint64_t key = 1; key <= 100'000; ++key) write(table, key, false, key);
    CHECK(table.bytes() == sizeof(Line) << LineTable<Line>::bits_small);
}

TEST_CASE("a table grows large only where it has forgotten much of what it is asked for",
          "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    SECTION("one of 32") {
        for (uint64_t key = 1; key <= 100'000; ++key) write(table, key, true, key * 32);
        CHECK(table.bytes() == sizeof(Line) << LineTable<Line>::bits_small);
    }
    SECTION("one of two") {
        for (uint64_t key = 1; key <= 30'000; ++key) write(table, key, true, key * 2);
        CHECK(table.bytes() > sizeof(Line) << LineTable<Line>::bits_small);
    }
}

TEST_CASE("a place from before the table grew is still some line", "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    table[~uint32_t{0}].key = 7;
    table.prefetch(~uint32_t{0});
    CHECK(table[~uint32_t{0}].key == 7);
}

TEST_CASE("nothing is left after clear, and the table can be used again", "[line_table]") {
    LineTable<Line> table;
    REQUIRE(table.has_lines());
    for (uint64_t key = 1; key <= 300; ++key) write(table, key);
    table.clear();
    unsigned found = 0;
    for (uint64_t key = 1; key <= 300; ++key) found += holds(table, key);
    CHECK(found == 0);
    write(table, 5);
    CHECK(holds(table, 5));
}
