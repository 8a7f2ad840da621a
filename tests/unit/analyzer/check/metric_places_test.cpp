// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/metric_places.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("metric_places: what has no line of its own is where most is held") {
    MetricPlaces places(SourceLocation{"main", "a.cpp", 3});
    places.set(Metric::leaked_bytes, {"main", "a.cpp", 8});
    places.set(Metric::allocations, {"main", "a.cpp", 8});
    places.set(Metric::held_bytes, {"main", "a.cpp", 3});
    CHECK(text_of(places.most_held()) == "a.cpp:3");
    CHECK(text_of(places.of(Metric::leaked_bytes)) == "a.cpp:8");
    CHECK(text_of(places.of(Metric::allocations)) == "a.cpp:8");
    CHECK(text_of(places.of(Metric::held_bytes)) == "a.cpp:3");
    CHECK(text_of(places.of(Metric::peak_bytes)) == "a.cpp:3");
}
