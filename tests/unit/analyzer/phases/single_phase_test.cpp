// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/single_phase.h"

#include "analyzer/base/error.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* training = R"(
    acquire lane=0 time=10 stack=1 size=1000 address=0x1000   # the model
    mark lane=0 time=20 kind=begin text="step 1" scope=thread
    acquire lane=0 time=21 stack=2 size=300 address=0x2000    # activations
    mark lane=0 time=22 kind=begin text="loss" domain="app" scope=thread
    acquire lane=0 time=23 stack=3 size=50 address=0x3000
    mark lane=0 time=24 kind=end domain="app" scope=thread
    release lane=0 time=25 address=0x2000
    mark lane=0 time=30 kind=end scope=thread
    release lane=0 time=31 address=0x3000
    mark lane=0 time=40 kind=begin text="step 2" scope=thread
    acquire lane=0 time=41 stack=2 size=400 address=0x2000
    acquire lane=0 time=42 stack=4 size=9 address=0x4000      # a leak
    release lane=0 time=43 address=0x2000
    mark lane=0 time=50 kind=end scope=thread
    acquire lane=0 time=60 stack=5 size=9999 address=0x5000   # afterwards
    mark lane=0 time=70 kind=mark text="done"
)";

Model load_range(const std::string& from, const std::string& to, const std::string& phase = "",
                 const std::string& step = "") {
    PhaseRequest request;
    request.only = phase;
    request.from = from;
    request.to = to;
    request.step = step;
    return load_bytes(dump_from_text(training), request);
}

}  // namespace

TEST_CASE("the recording as if it were its steps") {
    const Model model = load_phase(training, "step #");
    CHECK(unequal_sums(model).empty());
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.allocations == 4);
    CHECK(host.totals.allocated_bytes == 759);
    CHECK(host.totals.frees == 2);
    CHECK(host.totals.own_peak_bytes == 1409);
    CHECK(host.peak_time_ns == 42);
    CHECK(host.totals.live_blocks == 2);
    CHECK(host.totals.live_bytes == 59);
    CHECK(find_site(host, 1)->totals.at_peak_bytes == 1000);
    CHECK(find_site(host, 1)->totals.allocations == 0);
    CHECK(find_site(host, 2)->totals.at_peak_bytes == 400);
    CHECK(find_site(host, 3)->totals.live_bytes == 50);
    CHECK(find_site(host, 4)->totals.live_bytes == 9);
    CHECK_FALSE(find_site(host, 5).has_value());
    REQUIRE(model.phase);
    CHECK(model.phase->occurrences == 2);
    CHECK(model.phase->duration_ns == 20);
    CHECK(model.capture.captures == 4);
}

TEST_CASE("one occurrence by its own name, a phase of a domain, and several by a pattern") {
    CHECK(space_named(load_phase(training, "step 1"), "host")->totals.own_peak_bytes == 1350);
    CHECK(space_named(load_phase(training, "app: loss"), "host")->totals.allocated_bytes == 50);
    CHECK(load_phase(training, "step*").phase->occurrences == 2);
    CHECK(load_phase(training, "*s*").phase->occurrences == 3);
    CHECK(load_phase(training, "*").phase->occurrences == 4);
}

TEST_CASE("a mark: what was alive at that moment") {
    const Model model = load_phase(training, "done");
    const Space& host = *space_named(model, "host");
    CHECK(unequal_sums(model).empty());
    CHECK(host.totals.own_peak_bytes == 11008);
    CHECK(host.totals.allocations == 0);
    CHECK(host.totals.live_blocks == 0);
    CHECK(find_site(host, 5)->totals.at_peak_bytes == 9999);
}

TEST_CASE("a name that does not occur is an error that says which do") {
    CHECK_THROWS_WITH(load_phase(training, "stp 1"),
                      Contains("--phase stp 1") && Contains("\"step #\""));
    CHECK_THROWS_WITH(load_phase("acquire lane=0 time=1 size=1 address=0x10", "x"),
                      Contains("this recording has no phases"));
}

TEST_CASE("a phase that was not ended goes to the end; other spaces are there with theirs") {
    const Model model = load_phase(R"(
        map lane=0 time=5 size=4096 address=0x10000
        mark lane=0 time=10 kind=begin text="run"
        acquire lane=0 time=20 size=8 address=0x1000
        gpu_acquire lane=0 time=25 memory=device size=0x1000 address=0xa0000
        unmap lane=0 time=30 size=4096 address=0x10000
    )",
                                   "run");
    CHECK(unequal_sums(model).empty());
    CHECK(model.phase->open);
    CHECK(space_named(model, "host")->totals.live_bytes == 8);
    CHECK(space_named(model, "mmap")->totals.own_peak_bytes == 4096);
    CHECK(space_named(model, "mmap")->totals.frees == 1);
    CHECK(space_named(model, "mmap")->totals.live_blocks == 0);
    CHECK(space_named(model, "mmap")->classes.at("anonymous").at_peak_bytes == 4096);
    CHECK(space_named(model, "device:0")->totals.live_bytes == 0x1000);
}

TEST_CASE("a phase of the whole recording has the recording's figures") {
    const std::string story =
        "mark lane=0 time=1 kind=begin text=\"all\"\n" + std::string(training);
    const Model whole = load_story(story);
    const Model phase = load_phase(story, "all");
    CHECK(unequal_sums(phase).empty());
    const Totals& a = space_named(whole, "host")->totals;
    const Totals& b = space_named(phase, "host")->totals;
    CHECK(a.allocations == b.allocations);
    CHECK(a.frees == b.frees);
    CHECK(a.own_peak_bytes == b.own_peak_bytes);
    CHECK(a.live_bytes == b.live_bytes);
    CHECK(a.temporary == b.temporary);
    CHECK(space_named(whole, "host")->peak_time_ns == space_named(phase, "host")->peak_time_ns);
}

TEST_CASE("a range has the figures of a phase with the same events") {
    const Model phase = load_phase(training, "step 1");
    for (const char* const end : {"step 1", "step:1", "30ns"}) {
        const Model range = load_range("step 1", end);
        INFO(end);
        CHECK(unequal_sums(range).empty());
        REQUIRE(range.phase);
        CHECK(range.phase->asked.empty());
        CHECK(range.phase->range->to == end);
        CHECK(range.phase->range->begin_ns == 20);
        CHECK(range.phase->range->end_ns == 30);
        const Totals& a = space_named(phase, "host")->totals;
        const Totals& b = space_named(range, "host")->totals;
        CHECK(a.allocations == b.allocations);
        CHECK(a.frees == b.frees);
        CHECK(a.own_peak_bytes == b.own_peak_bytes);
        CHECK(a.live_bytes == b.live_bytes);
        CHECK(a.temporary == b.temporary);
    }
}

TEST_CASE("an event at the tick of an end is in the range that begins there") {
    const auto allocations = [](const char* from, const char* to) {
        return space_named(load_range(from, to), "host")->totals.allocations;
    };
    CHECK(allocations("", "21ns") == 1);
    CHECK(allocations("21ns", "41ns") == 2);
    CHECK(allocations("41ns", "42ns") == 1);
    CHECK(allocations("42ns", "") == 2);
}

TEST_CASE("a range between two phases, and one to the end of the recording") {
    const Model model = load_range("app: loss", "step 2");
    const Totals& totals = space_named(model, "host")->totals;
    CHECK(totals.allocations == 3);
    CHECK(totals.frees == 3);
    CHECK(totals.own_peak_bytes == 1409);
    const Model rest = load_range("done", "");
    CHECK(space_named(rest, "host")->totals.own_peak_bytes == 11008);
    CHECK(space_named(rest, "host")->totals.allocations == 0);
    CHECK(load_range("done", "done").phase->duration_ns == 0);
}

TEST_CASE("steps are counted from 1, as the marks of the program or as those of --step") {
    CHECK(load_range("step 2", "step 2").phase->range->begin_ns == 40);
    CHECK(load_range("step 1", "step 1", "", "loss").phase->range->begin_ns == 22);
    CHECK_THROWS_WITH(load_range("step 3", ""), Contains("has 2 steps, marked by \"step #\""));
    CHECK_THROWS_WITH(load_range("step 2", "", "", "loss"), Contains("has 1 step of \"loss\""));
    CHECK_THROWS_WITH(load_range("step 1", "", "", "nope"), Contains("--step nope"));
}

TEST_CASE("a phase and a range: what both have in common") {
    const Model model = load_range("24ns", "42ns", "step #");
    CHECK(unequal_sums(model).empty());
    const Totals& totals = space_named(model, "host")->totals;
    CHECK(totals.allocations == 1);  // of step 2
    CHECK(totals.frees == 1);        // of step 1
    CHECK(model.phase->occurrences == 2);
    CHECK(model.phase->duration_ns == 6 + 2);
    CHECK_THROWS_WITH(load_range("60ns", "", "step #"), Contains("does not occur in the range"));
}

TEST_CASE("a range that does not exist is refused with the reason") {
    CHECK_THROWS_WITH(load_range("stp 1", ""), Contains("--from stp 1") && Contains("\"step #\""));
    CHECK_THROWS_WITH(load_range("", "90ns"),
                      Contains("--to 90ns: the recording ends after 70 ns"));
    CHECK_THROWS_WITH(load_range("50ns", "20ns"), Contains("ends after 20 ns, before it begins"));
    CHECK_THROWS_WITH(load_range("step 2", "step 1"), Contains("before it begins, after 40 ns"));
}

TEST_CASE("a range without an end holds what was held when the work ended") {
    constexpr const char* story = R"(
        acquire lane=0 time=10 stack=1 size=1000 address=0x1000
        acquire lane=0 time=30 stack=2 size=200 address=0x2000
        acquire lane=0 time=31 stack=2 size=30 address=0x3000
        release lane=0 time=32 address=0x3000
        work_end lane=0 time=40
        release lane=0 time=50 address=0x2000
        acquire lane=0 time=51 stack=3 size=4 address=0x4000
    )";
    const auto totals = [&](const std::string& from, const std::string& to, uint32_t site) {
        PhaseRequest request;
        request.from = from;
        request.to = to;
        const Model model = load_bytes(dump_from_text(story), request);
        CHECK(unequal_sums(model).empty());
        return site == 0 ? space_named(model, "host")->totals
                         : find_site(*space_named(model, "host"), site)->totals;
    };
    CHECK(totals("20ns", "", 0).held_bytes == 200);
    CHECK(totals("20ns", "", 0).live_bytes == 4);
    CHECK(totals("20ns", "", 2).held_bytes == 200);
    CHECK(totals("20ns", "", 3).held_bytes == 0);
    // A range whose end was asked for ends there, and one that begins later has no such moment.
    CHECK(totals("20ns", "51ns", 0).held_bytes == 0);
    CHECK(totals("20ns", "45ns", 0).held_bytes == 200);
    CHECK(totals("45ns", "", 0).held_bytes == 4);
}

TEST_CASE("a range of steps knows what the program calls them") {
    const auto of = [](const std::string& from, const std::string& to) {
        return *load_range(from, to, "", "step #").phase->range;
    };
    CHECK(of("step 1", "step 2").from_step == "step 1");
    CHECK(of("step 1", "step 2").to_step == "step 2");
    CHECK(of("15ns", "step 1").from_step.empty());
    CHECK(of("15ns", "step 1").to_step == "step 1");
}
