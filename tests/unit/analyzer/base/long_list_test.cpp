// SPDX-License-Identifier: Apache-2.0
//
// A list that grows by pieces behaves like a vector, and its values stay where they are.
#include "analyzer/base/long_list.h"

#include <cstdint>

#include "tests/unit/test.h"

using memtrace::analyzer::LongList;

TEST_CASE("values keep their places while the list grows over many pieces") {
    LongList<uint64_t> list;
    CHECK(list.empty());
    list.push_back(7);
    const uint64_t* const first = &list[0];
    for (uint64_t i = 1; i < 100'000; ++i) list.push_back(i * 3);
    CHECK(list.size() == 100'000);
    CHECK(&list[0] == first);
    CHECK(list[0] == 7);
    CHECK(list[8191] == 8191 * 3);
    CHECK(list[8192] == 8192 * 3);
    CHECK(list[99'999] == 99'999 * 3);
}

TEST_CASE("new places have the given value, also after the list was shortened") {
    LongList<uint32_t> list(5, 1);
    list.grow_to(50'000, 2);
    list.grow_to(10, 9);  // already longer
    CHECK(list.size() == 50'000);
    CHECK(list[4] == 1);
    CHECK(list[5] == 2);
    CHECK(list[49'999] == 2);
    list.resize(3);
    CHECK(list.size() == 3);
    list.resize(40'000, 4);
    CHECK(list[2] == 1);
    CHECK(list[3] == 4);
    CHECK(list[39'999] == 4);
    list.resize(0);
    CHECK(list.empty());
}

TEST_CASE("copies are independent, and a place beyond the end is an error") {
    LongList<uint16_t> list(70'000, 5);
    LongList<uint16_t> copy = list;
    copy[69'999] = 6;
    CHECK(list.at(69'999) == 5);
    CHECK(copy.at(69'999) == 6);
    CHECK_THROWS_AS(list.at(70'000), std::out_of_range);
    const LongList<uint16_t> moved = std::move(copy);
    CHECK(moved.size() == 70'000);
    list = moved;
    CHECK(list.at(69'999) == 6);
}
