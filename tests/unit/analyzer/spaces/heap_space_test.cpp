// SPDX-License-Identifier: Apache-2.0
//
// Stories of blocks that are resized, acquired twice or released twice.
#include "analyzer/spaces/heap_space.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;

TEST_CASE("at the same tick a free comes before what gets its address") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 size=100 address=0x1000
        acquire lane=0 time=20 size=200 address=0x1000
        release lane=1 time=20 address=0x1000
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(space_named(model, "host")->totals.live_bytes == 200);
}

TEST_CASE("a resize is one free and one allocation") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 api=malloc stack=1 size=100 address=0x1000
        resize lane=0 time=20 duration=5 old_address=0x1000 stack=2 size=150 address=0x2000
        resize lane=0 time=30 duration=5 old_address=0x2000 stack=2 size=40 address=0x2000
    )");
    CHECK(model.capture.events == 3);
    CHECK(model.capture.anomalies == 0);
    CHECK(unequal_sums(model).empty());
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.allocations == 3);
    CHECK(host.totals.frees == 2);
    CHECK(host.totals.allocated_bytes == 290);
    CHECK(host.totals.live_bytes == 40);
    CHECK(host.totals.at_peak_bytes == 150);
    CHECK(host.peak_time_ns == 25);
}

TEST_CASE("while a resize runs, another thread may be given the old address") {
    // Lane 1 receives 0x1000 while lane 0 is still inside realloc, and even releases it.
    const Model model = load_story(R"(
        acquire lane=0 time=10 stack=1 size=100 address=0x1000
        resize lane=0 time=20 duration=50 old_address=0x1000 stack=1 size=300 address=0x2000
        acquire lane=1 time=40 stack=2 size=7 address=0x1000
        release lane=1 time=50 address=0x1000
        acquire lane=1 time=60 stack=2 size=8 address=0x1000
        release lane=0 time=80 address=0x2000
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(unequal_sums(model).empty());
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.allocations == 4);
    CHECK(host.totals.live_bytes == 8);
    CHECK(host.totals.at_peak_bytes == 308);
}

TEST_CASE("two threads exchange addresses through realloc") {
    // Both threads give up their block inside realloc and receive the other's.
    const Model model = load_story(R"(
        acquire lane=0 time=10 size=100 address=0x1000
        acquire lane=1 time=11 size=100 address=0x2000
        resize lane=0 time=20 duration=20 old_address=0x1000 size=101 address=0x2000
        resize lane=1 time=21 duration=30 old_address=0x2000 size=102 address=0x1000
        release lane=0 time=60 address=0x2000
        release lane=1 time=61 address=0x1000
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(space_named(model, "host")->totals.live_blocks == 0);
}

TEST_CASE("until its end a resize holds the old block, for the peak") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 stack=1 size=100 address=0x1000
        resize lane=0 time=20 duration=20 old_address=0x1000 stack=1 size=1 address=0x1000
        acquire lane=1 time=30 stack=2 size=50 address=0x5000
    )");
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.at_peak_bytes == 150);
    CHECK(find_site(host, 1)->totals.at_peak_bytes == 100);
    CHECK(host.totals.live_bytes == 51);
}

TEST_CASE("contradictions are counted and kept to be looked into, and sums stay right") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 stack=1 size=100 address=0x1000
        acquire lane=0 time=20 stack=1 size=200 address=0x1000
        release lane=0 time=30 address=0x7000
        resize lane=0 time=40 duration=1 old_address=0x8000 size=5 address=0x9000
    )");
    CHECK(model.capture.anomalies == 3);
    CHECK(unequal_sums(model).empty());
    REQUIRE(model.capture.first_anomalies.size() == 3);
    CHECK(model.capture.first_anomalies[0].what == "acquired while live");
    CHECK(model.capture.first_anomalies[1].address == 0x7000);
    CHECK(model.capture.first_anomalies[2].what == "resized while not live");
    CHECK(space_named(model, "host")->totals.live_bytes == 205);
}
