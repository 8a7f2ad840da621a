// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/number_table.h"

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a thing has the number that it was added with", "[number_table]") {
    const std::vector<std::string> things{"a", "b", "c"};
    NumberTable table;
    const auto number = [&](uint32_t hash, uint32_t next, const std::string& thing) {
        return table.find_or_add(hash, next,
                                 [&](uint32_t other) { return things[other] == thing; });
    };
    CHECK(number(7, 0, "a") == 0);
    CHECK(number(9, 1, "b") == 1);
    CHECK(number(7, 2, "c") == 2);  // the hash of another one
    CHECK(number(7, 3, "a") == 0);
    CHECK(number(9, 3, "b") == 1);
    CHECK(number(7, 3, "c") == 2);
}

TEST_CASE("a table of numbers grows, and a search that was announced is the same",
          "[number_table]") {
    constexpr uint32_t count = 100'000;
    NumberTable table;
    table.soon(1);  // It has no place yet.
    const auto number_of = [&](uint32_t thing) {
        const uint32_t hash = thing % 1000 * 0x9e3779b1u + thing / 1000;
        table.soon(hash);
        return table.find_or_add(hash, thing, [&](uint32_t other) { return other == thing; });
    };
    bool is_right = true;
    for (uint32_t thing = 0; thing < count; ++thing) is_right &= number_of(thing) == thing;
    for (uint32_t thing = 0; thing < count; ++thing) is_right &= number_of(thing) == thing;
    CHECK(is_right);
}
