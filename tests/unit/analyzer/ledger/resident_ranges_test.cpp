// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/resident_ranges.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("resident bytes of a range are those of the pages in it") {
    const ResidentRanges resident({{0x1000, 0x3000}, {0x5000, 0x6000}});
    CHECK(resident.bytes_in(0, 0x10000) == 0x3000);
    CHECK(resident.bytes_in(0x1800, 0x5010) == 0x1800 + 0x10);
    CHECK(resident.bytes_in(0x3000, 0x5000) == 0);
    CHECK(resident.bytes_in(0x2000, 0x2000) == 0);
    CHECK(resident.bytes_in(0x2000, 0x1000) == 0);
}

TEST_CASE("a page counts as whole only if all of it lies in the range") {
    const ResidentRanges resident({{0x1000, 0x4000}});
    CHECK(resident.whole_pages_in(0x1000, 0x4000) == 0x3000);
    CHECK(resident.whole_pages_in(0x1001, 0x3fff) == 0x1000);
    CHECK(resident.whole_pages_in(0x1001, 0x1fff) == 0);
    CHECK(ResidentRanges({}).whole_pages_in(0, 0x10000) == 0);
}

TEST_CASE("a range is all resident if one piece contains it") {
    const ResidentRanges resident({{0x1000, 0x3000}, {0x5000, 0x6000}});
    CHECK(resident.has_all(0x1000, 0x3000));
    CHECK(resident.has_all(0x5010, 0x5020));
    CHECK_FALSE(resident.has_all(0x0fff, 0x2000));
    CHECK_FALSE(resident.has_all(0x2000, 0x3001));
    CHECK_FALSE(resident.has_all(0x1000, 0x6000));
    CHECK_FALSE(resident.has_all(0x3800, 0x3900));
    CHECK_FALSE(ResidentRanges({}).has_all(0x1000, 0x2000));
}
