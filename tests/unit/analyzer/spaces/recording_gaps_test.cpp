// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/recording_gaps.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using test::load_story;

namespace {

const Space& host_of(const Model& model) { return *test::space_named(model, "host"); }

}  // namespace

TEST_CASE("a recording that begins late knows no block from before", "[recording_gaps]") {
    const Model model = load_story(R"(
        recording_switch time=0 state=off
        recording_switch lane=0 time=100 state=on
        acquire lane=0 time=110 api=malloc size=64 address=0x1000
        release lane=1 time=120 api=free address=0x2000
        resize lane=1 time=130 duration=5 api=realloc size=32 old_address=0x3000 address=0x4000
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.earlier_frees == 2);
    CHECK(host_of(model).totals.live_bytes == 96);
    CHECK(host_of(model).unsure_blocks == 0);
    REQUIRE(model.capture.gaps.size() == 1);
    CHECK(model.capture.gaps[0].begin_ns == 0);
    CHECK(model.capture.gaps[0].end_ns.has_value());
}

TEST_CASE("a recording that nobody began has one gap without an end", "[recording_gaps]") {
    const Model model = load_story("recording_switch time=0 state=off");
    REQUIRE(model.capture.gaps.size() == 1);
    CHECK_FALSE(model.capture.gaps[0].end_ns);
    CHECK(model.spaces.empty());
    CHECK_FALSE(model.damaged);
}

TEST_CASE("what was held at a stop is held", "[recording_gaps]") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 api=malloc size=64 address=0x1000
        recording_switch lane=0 time=20 state=off
        acquire lane=1 time=21 api=malloc size=10 address=0x2000
    )");
    CHECK(host_of(model).totals.live_bytes == 74);
    CHECK(model.capture.gaps.size() == 1);
    CHECK(model.capture.gaps[0].begin_ns != 0);
    CHECK(model.capture.anomalies == 0);
}

TEST_CASE("after a pause, a release settles a block, and so does a block in its place",
          "[recording_gaps]") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 api=malloc size=100 address=0x1000
        acquire lane=0 time=11 api=malloc size=100 address=0x2000
        acquire lane=0 time=12 api=malloc size=100 address=0x3000
        acquire lane=0 time=13 api=malloc size=100 address=0x4000
        recording_switch lane=0 time=20 state=off
        recording_switch lane=1 time=30 state=on
        release lane=0 time=40 api=free address=0x1000
        acquire lane=0 time=41 api=malloc size=50 address=0x2000
        acquire lane=0 time=42 api=malloc size=5000 address=0x2fe0
        release lane=0 time=43 api=free address=0x9000
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.earlier_frees == 1);
    const Space& host = host_of(model);
    // The last of them needs the places of two: 0x3000 and 0x4000.
    CHECK(host.unsure_blocks == 0);
    CHECK(host.totals.live_bytes == 5050);
    CHECK(host.totals.live_blocks == 2);
}

TEST_CASE("after a pause, the rest is not sure", "[recording_gaps]") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 api=malloc size=100 address=0x1000
        acquire lane=0 time=11 api=malloc size=200 address=0x2000
        recording_switch lane=0 time=20 state=off
        recording_switch lane=1 time=21 state=off
        recording_switch lane=1 time=30 state=on
        recording_switch lane=0 time=31 state=on
        acquire lane=0 time=41 api=malloc size=1000 address=0x1064
        release lane=0 time=42 api=free address=0x2000
    )");
    const Space& host = host_of(model);
    CHECK(host.unsure_blocks == 1);
    CHECK(host.unsure_bytes == 100);
    CHECK(host.unsure_at_peak_bytes == 300);
    CHECK(host.totals.live_bytes == 1100);
    CHECK(model.capture.gaps.size() == 1);
}

TEST_CASE("a block of after the pause is no other's", "[recording_gaps]") {
    const Model model = load_story(R"(
        recording_switch lane=0 time=20 state=off
        recording_switch lane=0 time=30 state=on
        acquire lane=0 time=40 api=malloc size=100 address=0x1000
        acquire lane=0 time=41 api=malloc size=100 address=0x1000
    )");
    CHECK(model.capture.anomalies == 1);
}

TEST_CASE("what threads did that were at work on it during the switch is not sure either",
          "[recording_gaps]") {
    const Model model = load_story(R"(
        recording_switch lane=0 time=20 state=off
        acquire lane=1 time=21 api=malloc size=100 address=0x1000
        acquire lane=1 time=22 api=malloc size=70 address=0x1000
        recording_switch lane=0 time=30 state=on
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(host_of(model).unsure_bytes == 70);
}

TEST_CASE("blocks of a sample and mappings may be gone, too", "[recording_gaps]") {
    const Model model = load_story(R"(
        heap_sample time=0 interval=4096
        acquire lane=0 time=10 api=malloc size=1000000 address=0x1000
        acquire lane=0 time=11 api=malloc size=1000000 address=0x200000
        map lane=0 time=12 api=mmap address=0x10000000 size=8192
        recording_switch lane=0 time=20 state=off
        recording_switch lane=0 time=30 state=on
        acquire lane=0 time=40 api=malloc size=2000000 address=0x1000
        unmap lane=0 time=41 api=munmap address=0x10001000 size=4096
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(host_of(model).unsure_blocks == 1);
    CHECK(test::space_named(model, "mmap")->unsure_bytes == 4096);
}

TEST_CASE("the host's ledger is left out, which is said", "[recording_gaps]") {
    const Model model = load_story(R"(
        recording_switch time=0 state=off
        recording_switch lane=0 time=10 state=on
        acquire lane=0 time=20 api=malloc size=10 address=0x1000
    )");
    const auto is_said = [](const NoteInfo& note) { return note.subject == "recording"; };
    CHECK(std::count_if(model.notes.begin(), model.notes.end(), is_said) == 1);
}
