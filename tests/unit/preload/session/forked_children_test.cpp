// SPDX-License-Identifier: Apache-2.0
#include "preload/session/forked_children.h"

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("the first children are recorded, and then ever fewer, at all times") {
    uint64_t recorded = 0, last = 0, widest = 0;
    for (uint64_t number = 1; number <= 1'000'000; ++number) {
        if (!is_child_recorded(number)) continue;
        widest = std::max(widest, number - last);
        last = number;
        recorded += 1;
        if (number == 64) CHECK(recorded == 64);
        if (number == 128) CHECK(recorded == 96);
        if (number == 256) CHECK(recorded == 128);
    }
    CHECK(recorded > 400);
    CHECK(recorded < 520);
    CHECK(widest <= 16'384);
    CHECK(is_child_recorded(uint64_t{1} << 63));
    CHECK_FALSE(is_child_recorded(~uint64_t{0}));
}
