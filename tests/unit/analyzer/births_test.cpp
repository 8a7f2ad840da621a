// SPDX-License-Identifier: Apache-2.0
#include "analyzer/births.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a block was acquired in the slice in which its thread had come to its number") {
    Births<uint32_t> births;
    births.end_slice({3});
    births.end_slice({3, 5});
    births.end_slice({7, 5});
    CHECK(births.slice_of(0, 1) == 0);
    CHECK(births.slice_of(0, 3) == 0);
    CHECK(births.slice_of(0, 4) == 2);
    CHECK(births.slice_of(1, 1) == 1);
    CHECK(births.slice_of(1, 6) == 3);
    CHECK(births.slice_of(2, 1) == 3);
}
