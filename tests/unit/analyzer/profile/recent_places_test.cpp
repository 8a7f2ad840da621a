// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/recent_places.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("both sides of a file see the same recent places") {
    RecentPlaces writer(2), reader(2);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        const size_t list = i % 2;
        const uint32_t place = i * i % 23;
        const uint32_t index = writer.take(list, place);
        if (index == RecentPlaces::count) {
            reader.take(list, place);
            continue;
        }
        ++hits;
        CHECK(reader.at(list, index) == place);
    }
    CHECK(hits > 100);
}

TEST_CASE("the place that was last seen is the first") {
    RecentPlaces recent(1);
    CHECK(recent.take(0, 0) == RecentPlaces::count);
    CHECK(recent.take(0, 5) == RecentPlaces::count);
    CHECK(recent.take(0, 5) == 0);
    CHECK(recent.take(0, 0) == 1);
    CHECK_FALSE(recent.at(0, 2).has_value());
}
