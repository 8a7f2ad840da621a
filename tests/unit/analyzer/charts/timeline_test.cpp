// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/timeline.h"

#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("timeline: ranges have a begin and an end, and samples hold until the next") {
    Recording recording = watched_story(R"(
        sample time=100 rss=1000
        mark lane=0 time=200 kind=begin text="a"
        mark lane=0 time=300 kind=begin text="b"
        acquire lane=0 time=400 size=10 address=0x10
        mark lane=0 time=500 kind=end text="a"
        sample time=600 rss=500
        mark lane=0 time=700 kind=mark text="m"
        acquire lane=0 time=900 size=10 address=0x20
    )");
    const Timeline timeline = make_timeline(recording);
    REQUIRE(timeline.phases.size() == 2);
    CHECK(timeline.phases[0].end_ns == 500);
    CHECK(timeline.phases[1].name == "b");
    CHECK(timeline.phases[1].end_ns == timeline.end_ns);
    CHECK(timeline.marks.size() == 1);
    REQUIRE(timeline.curves.size() == 2);
    const TimelineCurve& resident = timeline.curves[0];
    CHECK(resident.peak_bytes == 1000);
    CHECK_FALSE(resident.slices.front().last.has_value());
    CHECK(resident.slices.back().last == 500);
    CHECK(resident.slices.size() == timeline.curves[1].slices.size());
}

TEST_CASE("timeline: a part of the run without a sample has the one before it, or no curve of it") {
    Recording recording = watched_story(R"(
        acquire lane=0 time=400 size=10 address=0x10
        acquire lane=0 time=900 size=10 address=0x20
    )");
    const uint64_t begin = recording.model.watch->spaces.at("host").curve.begin_ns;
    const uint64_t end = make_timeline(recording).end_ns;
    recording.model.samples = {{.time_ns = end + 1, .rss = 700}};
    CHECK(make_timeline(recording).curves[0].name == "host");

    auto watch = std::make_shared<RunWatch>(*recording.model.watch);
    watch->spaces.at("host").curve.begin_ns = begin + 100;
    recording.model.watch = watch;
    recording.model.samples = {{.time_ns = begin + 50, .rss = 500}};
    const Timeline timeline = make_timeline(recording);
    REQUIRE(timeline.curves[0].name == Timeline::resident);
    CHECK(timeline.curves[0].peak_bytes == 500);
    CHECK(timeline.curves[0].peak_time_ns == begin + 100);
}

TEST_CASE("timeline: a profile has the ends of slices") {
    Recording recording = watched_story(two_threads);
    recording.model.watch = nullptr;
    recording.model.slices.slices = {{.end_ns = 50}, {.end_ns = 100}};
    recording.model.spaces[0].history.held = {{.slice = 1, .bytes = 9}};
    recording.model.spaces[0].totals.live_bytes = 4;
    recording.model.process.duration_ns = 100;
    const Timeline timeline = make_timeline(recording);
    CHECK(timeline.ends_only);
    REQUIRE(timeline.curves[0].slices.size() == 2);
    CHECK(timeline.curves[0].slices[0].last == 0);
    CHECK(timeline.curves[0].slices[1].last == 9);
    CHECK_FALSE(timeline.curves[0].slices[1].lowest.has_value());

    recording.model.process.duration_ns = 150;  // It freed some of it after its work.
    const Timeline longer = make_timeline(recording);
    REQUIRE(longer.curves[0].slices.size() == 3);
    CHECK(longer.curves[0].slices[2].end_ns == 150);
    CHECK(longer.curves[0].slices[2].last == 4);
}
