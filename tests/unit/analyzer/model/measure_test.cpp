// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/measure.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("each measure has a name and a figure of its own") {
    Totals totals;
    totals.at_peak_bytes = 1;
    totals.live_bytes = 2;
    totals.allocated_bytes = 3;
    totals.allocations = 4;
    totals.temporary = 5;
    totals.own_peak_bytes = 6;
    totals.held_bytes = 7;
    uint64_t expected = 0;
    for (const char* name :
         {"at-peak", "leaked", "allocated", "allocations", "temporary", "own-peak", "held"}) {
        const auto measure = find_measure(name);
        REQUIRE(measure);
        CHECK(value_of(totals, *measure) == ++expected);
    }
    CHECK_FALSE(find_measure("peak"));
}

TEST_CASE("a sum has every figure") {
    const Totals part{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    Totals sum = part;
    CHECK(add(sum, part));
    const Totals twice{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22};
    for (uint64_t Totals::*figure :
         {&Totals::allocations, &Totals::frees, &Totals::allocated_bytes, &Totals::live_blocks,
          &Totals::live_bytes, &Totals::at_peak_blocks, &Totals::at_peak_bytes,
          &Totals::own_peak_bytes, &Totals::temporary, &Totals::held_blocks, &Totals::held_bytes}) {
        CHECK(sum.*figure == twice.*figure);
    }
}

TEST_CASE("a sum that does not fit is the greatest number, and says so") {
    Totals sum, part;
    sum.live_bytes = part.live_bytes = uint64_t{1} << 63;
    part.live_blocks = 3;
    CHECK_FALSE(add(sum, part));
    CHECK(sum.live_bytes == UINT64_MAX);
    CHECK(sum.live_blocks == 3);
}

TEST_CASE("a sum beside one that does not fit is right, and a large one may fit") {
    Totals sum, part;
    sum.garbage_bytes = uint64_t{1} << 63;
    sum.allocations = UINT64_MAX - 2;
    part.allocations = 2;
    part.garbage_bytes = 5;
    CHECK(add(sum, part));
    CHECK(sum.allocations == UINT64_MAX);
    CHECK(sum.garbage_bytes == (uint64_t{1} << 63) + 5);
    CHECK_FALSE(add(sum, part));
    CHECK(sum.garbage_bytes == (uint64_t{1} << 63) + 10);
}
