// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/unsure_blocks.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("blocks of before are doubted until they go", "[unsure_blocks]") {
    UnsureBlocks unsure;
    CHECK_FALSE(unsure.may_be_gone(1));
    Totals alive;
    alive.live_bytes = 100;
    alive.live_blocks = 2;
    unsure.doubt_all(7, alive, true);
    CHECK(unsure.may_be_gone(8));  // The time without a record goes on.
    unsure.doubt_all(8, alive, false);
    CHECK(unsure.may_be_gone(8));
    CHECK_FALSE(unsure.may_be_gone(9));
    unsure.come_to_peak();
    unsure.settle(9, 50, 1);
    CHECK(unsure.bytes() == 100);
    unsure.settle(3, 60, 1);
    CHECK(unsure.bytes() == 40);
    CHECK(unsure.blocks() == 1);
    CHECK(unsure.bytes_at_peak() == 100);
    unsure.settle(3, 60, 1);  // of a damaged dump
    CHECK(unsure.bytes() == 0);
}
