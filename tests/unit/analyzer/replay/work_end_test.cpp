// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/work_end.h"

#include "analyzer/sites/recording.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using memtrace::test::load_story;

TEST_CASE("the interpreter's end counts, unless the program goes on after it") {
    WorkEndChoice choice;
    for (int i = 0; i < 100; ++i) choice.count_acquisition();
    CHECK(choice.take({10, WorkEndKind::python}));
    for (int i = 0; i < 5; ++i) choice.count_acquisition();
    CHECK_FALSE(choice.take({20, WorkEndKind::program}));
    CHECK(choice.time() == 10);
    for (int i = 0; i < 50; ++i) choice.count_acquisition();
    CHECK(choice.take({30, WorkEndKind::program}));
    CHECK(choice.time() == 30);
}

TEST_CASE("what was held when the work ended, by site, adds up to the space's") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 stack=1 size=100 address=0x1000
        acquire lane=0 time=20 stack=2 size=50 address=0x2000
        acquire lane=0 time=25 stack=2 size=5 address=0x3000
        release lane=0 time=30 address=0x3000
        work_end lane=0 time=40
        release lane=0 time=50 address=0x1000
        acquire lane=0 time=60 stack=3 size=7 address=0x4000
    )");
    const Space& host = *analyzer::find_space(model, "host");
    CHECK(model.process.work_end_ns.has_value());
    CHECK(host.totals.held_bytes == 150);
    CHECK(host.totals.held_blocks == 2);
    CHECK(host.totals.live_bytes == 57);
    REQUIRE(host.sites.size() == 3);
    CHECK(host.sites[0].totals.held_bytes == 100);
    CHECK(host.sites[1].totals.held_bytes == 50);
    CHECK(host.sites[2].totals.held_bytes == 0);
    CHECK(changed_after_work(model, host));
}

TEST_CASE("a program that says nothing of its end was at work to the last event") {
    const Model model = load_story(R"(
        acquire lane=0 time=10 stack=0 size=100 address=0x1000
        release lane=0 time=20 address=0x1000
        acquire lane=0 time=30 stack=0 size=5 address=0x1000
    )");
    CHECK_FALSE(model.process.work_end_ns.has_value());
    CHECK(analyzer::find_space(model, "host")->totals.held_bytes == 5);
    CHECK_FALSE(changed_after_work(model, *analyzer::find_space(model, "host")));
}
