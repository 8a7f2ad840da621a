// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_list.h"

#include <fmt/format.h>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

const PhaseInfo& find(const PhaseList& list, std::string_view name) {
    for (const PhaseInfo& phase : list.phases) {
        if (phase.name == name) return phase;
    }
    FAIL("no phase " << name);
    return list.phases.front();
}

PhaseFigures figures(const PhaseInfo& phase, std::string_view space = "host") {
    for (const auto& [name, figures] : phase.spaces) {
        if (name == space) return figures;
    }
    FAIL("no space " << space);
    return {};
}

}  // namespace

TEST_CASE("a phase has the peak, the allocations and what is left of its time") {
    const PhaseList list = phases_of(R"(
        acquire lane=0 time=10 size=100 address=0x1000
        mark lane=0 time=20 kind=begin text="work"
        acquire lane=0 time=30 size=50 address=0x2000
        acquire lane=0 time=40 size=30 address=0x3000
        release lane=0 time=50 address=0x2000
        release lane=0 time=60 address=0x1000
        mark lane=0 time=70 kind=end text="work"
        acquire lane=0 time=80 size=1000 address=0x4000
        release lane=0 time=90 address=0x3000
    )");
    REQUIRE(list.phases.size() == 1);
    const PhaseInfo& work = list.phases[0];
    CHECK(work.name == "work");
    CHECK(work.occurrences == 1);
    CHECK(work.first_begin_ns == 20);
    CHECK(work.duration_ns == 50);
    CHECK_FALSE(work.open);
    const PhaseFigures host = figures(work);
    CHECK(host.allocations == 2);
    CHECK(host.frees == 2);
    CHECK(host.allocated_bytes == 80);
    CHECK(host.begin_bytes == 100);
    CHECK(host.peak_bytes == 180);
    CHECK(host.peak_time_ns == 40);
    CHECK(host.end_bytes == 30);
    CHECK(host.kept_blocks == 1);
    CHECK(host.kept_bytes == 30);
    CHECK(host.leaked_bytes == 0);
}

TEST_CASE("nested phases: the outer one has what the inner one did") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=10 kind=begin text="outer" scope=thread
        acquire lane=0 time=11 size=10 address=0x1000
        mark lane=0 time=20 kind=begin text="inner" scope=thread
        acquire lane=0 time=21 size=500 address=0x2000
        release lane=0 time=22 address=0x2000
        acquire lane=0 time=23 size=7 address=0x3000
        mark lane=0 time=30 kind=end scope=thread
        acquire lane=0 time=31 size=20 address=0x4000
        mark lane=0 time=40 kind=end scope=thread
    )");
    const PhaseInfo& outer = find(list, "outer");
    const PhaseInfo& inner = find(list, "inner");
    CHECK(outer.depth == 0);
    CHECK(inner.depth == 1);
    CHECK(figures(outer).peak_bytes == 510);
    CHECK(figures(outer).peak_time_ns == 21);
    CHECK(figures(outer).allocations == 4);
    CHECK(figures(outer).kept_bytes == 37);
    CHECK(figures(inner).peak_bytes == 510);
    CHECK(figures(inner).begin_bytes == 10);
    CHECK(figures(inner).kept_bytes == 7);
    CHECK(figures(inner).leaked_bytes == 7);
}

TEST_CASE("phases may end in another order than they began") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=10 kind=begin text="a"
        acquire lane=0 time=11 size=10 address=0x1000
        mark lane=0 time=20 kind=begin text="b"
        acquire lane=0 time=21 size=5 address=0x2000
        release lane=0 time=22 address=0x2000
        mark lane=0 time=30 kind=end text="a"
        acquire lane=0 time=31 size=100 address=0x3000
        mark lane=0 time=40 kind=end text="b"
    )");
    CHECK(figures(find(list, "a")).peak_bytes == 15);
    CHECK(figures(find(list, "a")).kept_bytes == 10);
    CHECK(figures(find(list, "b")).peak_bytes == 110);
    CHECK(figures(find(list, "b")).kept_bytes == 100);
}

TEST_CASE("where each is asked for, names that differ in numbers are phases of their own") {
    const Bytes story = dump_from_text(R"(
        mark lane=0 time=10 kind=begin text="test[1]"
        acquire lane=0 time=20 size=100 address=0x1000
        mark lane=0 time=30 kind=end text="test[1]"
        mark lane=0 time=40 kind=begin text="test[2]"
        mark lane=0 time=50 kind=end text="test[2]"
    )");
    const PhaseList list = load_bytes(story, {true, "", true}).phases.value();
    REQUIRE(list.phases.size() == 2);
    CHECK(figures(find(list, "test[1]")).kept_bytes == 100);
    CHECK(figures(find(list, "test[2]")).kept_bytes == 0);
}

TEST_CASE("names that differ in numbers are one phase with many occurrences") {
    std::string story;
    uint64_t time = 10;
    for (int step = 0; step < 1000; ++step, time += 10) {
        story += fmt::format(
            "mark lane=0 time={} kind=begin text=\"step {}\" scope=thread\n"
            "acquire lane=0 time={} size={} address=0x1000\n",
            time, step, time + 1, 100 + step);
        if (step < 999) story += fmt::format("release lane=0 time={} address=0x1000\n", time + 2);
        story += fmt::format("mark lane=0 time={} kind=end scope=thread\n", time + 3);
    }
    const PhaseList list = phases_of(story);
    REQUIRE(list.phases.size() == 1);
    CHECK(list.phases[0].name == "step #");
    CHECK(list.phases[0].occurrences == 1000);
    CHECK(list.phases[0].duration_ns == 3000);
    CHECK(figures(list.phases[0]).peak_bytes == 1099);
    CHECK(figures(list.phases[0]).kept_blocks == 1);
    CHECK(figures(list.phases[0]).leaked_bytes == 1099);
}

TEST_CASE("what each occurrence left is added up, and what went later is not leaked") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=10 kind=begin text="step"
        acquire lane=0 time=11 size=1 address=0x1000
        acquire lane=0 time=12 size=2 address=0x2000
        mark lane=0 time=13 kind=end text="step"
        release lane=0 time=14 address=0x1000
        mark lane=0 time=20 kind=begin text="step"
        acquire lane=0 time=21 size=4 address=0x3000
        release lane=0 time=22 address=0x2000
        mark lane=0 time=23 kind=end text="step"
    )");
    const PhaseFigures step = figures(find(list, "step"));
    CHECK(step.kept_bytes == 7);
    CHECK(step.kept_blocks == 3);
    CHECK(step.leaked_bytes == 4);
    CHECK(step.begin_bytes == 0);
    CHECK(step.end_bytes == 4);
}

TEST_CASE("a phase inside of itself, or of two threads at a time, counts nothing twice") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=10 kind=begin text="f" scope=thread
        acquire lane=0 time=11 size=1 address=0x1000
        mark lane=0 time=12 kind=begin text="f" scope=thread
        mark lane=1 time=13 kind=begin text="f" scope=thread
        acquire lane=0 time=14 size=2 address=0x2000
        mark lane=0 time=15 kind=end scope=thread
        mark lane=0 time=16 kind=end scope=thread
        acquire lane=1 time=17 size=4 address=0x3000
        mark lane=1 time=20 kind=end scope=thread
    )");
    const PhaseInfo& f = find(list, "f");
    CHECK(f.occurrences == 3);
    CHECK(f.duration_ns == 10);
    CHECK(figures(f).allocations == 3);
    CHECK(figures(f).kept_bytes == 7);
}

TEST_CASE("a mark is a moment: what was alive then") {
    const PhaseList list = phases_of(R"(
        acquire lane=0 time=5 size=100 address=0x1000
        mark lane=0 time=10 kind=mark text="checkpoint"
        acquire lane=0 time=20 size=900 address=0x2000
        mark lane=0 time=30 kind=mark text="checkpoint"
        release lane=0 time=40 address=0x2000
    )");
    const PhaseInfo& mark = find(list, "checkpoint");
    CHECK(mark.is_mark);
    CHECK(mark.occurrences == 2);
    CHECK(mark.duration_ns == 0);
    CHECK(figures(mark).peak_bytes == 1000);
    CHECK(figures(mark).peak_time_ns == 30);
    CHECK(figures(mark).begin_bytes == 100);
    CHECK(figures(mark).allocations == 0);
    CHECK(figures(mark).kept_bytes == 0);
}

TEST_CASE("a phase that is not ended is open until the end; ends of nothing are counted") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=5 kind=end text="never begun"
        mark lane=0 time=6 kind=end scope=thread
        mark lane=0 time=10 kind=begin text="run"
        acquire lane=0 time=20 size=8 address=0x1000
        end lane=0 time=30 kind=exit
    )");
    REQUIRE(list.phases.size() == 1);
    CHECK(list.phases[0].open);
    CHECK(list.phases[0].duration_ns == 20);
    CHECK(figures(list.phases[0]).leaked_bytes == 8);
    CHECK(list.unpaired_ends == 2);
}

TEST_CASE("every space has its figures, also one that comes up while a phase is open") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=10 kind=begin text="load"
        map lane=0 time=11 size=4096 address=0x10000
        gpu_acquire lane=0 time=12 memory=device size=0x1000 address=0xa0000
        tensor_acquire lane=0 time=13 device_type=1 size=0x200 address=0xa0000
        mark lane=0 time=20 kind=end text="load"
        unmap lane=0 time=30 size=4096 address=0x10000
        gpu_acquire lane=0 time=31 memory=device size=0x3000 address=0xb0000
    )");
    const PhaseInfo& load = find(list, "load");
    CHECK(figures(load, "mmap").kept_bytes == 4096);
    CHECK(figures(load, "mmap").leaked_bytes == 0);
    CHECK(figures(load, "device:0").peak_bytes == 0x1000);
    CHECK(figures(load, "device:0").leaked_bytes == 0x1000);
    CHECK(figures(load, "device:0").end_bytes == 0x1000);
    CHECK(figures(load, "tensors:cuda:0").allocated_bytes == 0x200);
}

TEST_CASE("part of a mapping that goes is no longer left") {
    const PhaseList list = phases_of(R"(
        mark lane=0 time=10 kind=begin text="load"
        map lane=0 time=11 size=0x3000 address=0x10000
        mark lane=0 time=20 kind=end text="load"
        unmap lane=0 time=30 size=0x1000 address=0x11000
    )");
    CHECK(figures(find(list, "load"), "mmap").kept_bytes == 0x3000);
    CHECK(figures(find(list, "load"), "mmap").leaked_bytes == 0x2000);
    CHECK(figures(find(list, "load"), "mmap").leaked_blocks == 1);
}

TEST_CASE("what a pool of the driver keeps belongs to the phase in which it came to keep it") {
    const PhaseList list = phases_of(R"(
        gpu_pool lane=0 time=5 kind=pool pool=0x77 reserved=0x1000
        mark lane=0 time=10 kind=begin text="a"
        gpu_pool lane=0 time=15 kind=pool pool=0x77 reserved=0x5000
        mark lane=0 time=20 kind=end text="a"
        mark lane=0 time=30 kind=begin text="b"
        gpu_pool lane=0 time=35 kind=pool pool=0x77 reserved=0x2000
        mark lane=0 time=40 kind=end text="b"
    )");
    CHECK(figures(find(list, "a"), "device:0").kept_bytes == 0x4000);
    CHECK(figures(find(list, "a"), "device:0").leaked_bytes == 0x1000);
    CHECK(figures(find(list, "b"), "device:0").kept_bytes == 0);
    CHECK(figures(find(list, "b"), "device:0").peak_bytes == 0x5000);
}

TEST_CASE("after ten thousand names the others are one phase") {
    std::string story;
    const auto name_of = [](uint64_t number) {
        std::string name;
        for (; number > 0; number /= 26) name += static_cast<char>('a' + number % 26);
        return "n" + name;
    };
    for (uint64_t i = 0; i < AllPhases::names_max + 5; ++i) {
        story += fmt::format("mark lane=0 time={} text=\"{}\"\n", 10 + i, name_of(i));
    }
    const Model model = load_bytes(dump_from_text(story), {true, {}});
    CHECK(model.phases->phases.size() == AllPhases::names_max + 1);
    CHECK(model.phases->phases.back().name == "(further names)");
    CHECK(model.phases->phases.back().occurrences == 5);
    REQUIRE(model.notes.size() == 1);
    CHECK(model.notes[0].subject == "phases");
}

TEST_CASE("phases inside a range have the figures of their time there") {
    PhaseRequest request{true, {}};
    request.from = "15ns";
    request.to = "45ns";
    const PhaseList list = load_bytes(dump_from_text(R"(
        mark lane=0 time=1 kind=begin text="outer"
        acquire lane=0 time=2 size=100 address=0x1000
        mark lane=0 time=10 kind=begin text="part"
        acquire lane=0 time=11 size=10 address=0x2000
        acquire lane=0 time=20 size=1 address=0x3000
        mark lane=0 time=30 kind=end text="part"
        mark lane=0 time=40 kind=mark text="now"
        acquire lane=0 time=50 size=5000 address=0x4000
        mark lane=0 time=60 kind=end text="outer"
        mark lane=0 time=70 kind=begin text="late"
        mark lane=0 time=80 kind=end text="late"
    )"),
                                      request)
                               .phases.value();
    REQUIRE(list.phases.size() == 3);
    REQUIRE(list.range);
    CHECK(list.range->begin_ns == 15);
    for (const char* const name : {"outer", "part"}) {
        const PhaseFigures host = figures(find(list, name), "host");
        CHECK(find(list, name).occurrences == 1);
        CHECK(host.allocations == 1);
        CHECK(host.begin_bytes == 110);
        CHECK(host.peak_bytes == 111);
        CHECK(host.kept_bytes == 1);
    }
    CHECK(find(list, "part").duration_ns == 15);
    CHECK(find(list, "outer").duration_ns == 30);
    CHECK(figures(find(list, "now"), "host").peak_bytes == 111);
}

TEST_CASE("phases of some sites: what these did, and held when everything was highest") {
    PhaseRequest request{true, {}};
    request.sites["host"] = {false, true};
    const PhaseList list = load_bytes(dump_from_text(R"(
        mark lane=0 time=1 kind=begin text="work"
        acquire lane=0 time=2 stack=1 size=100 address=0x1000
        acquire lane=0 time=3 stack=2 size=7 address=0x2000
        release lane=0 time=4 address=0x1000
        acquire lane=0 time=5 stack=2 size=8 address=0x3000
        release lane=0 time=6 address=0x2000
        mark lane=0 time=9 kind=end text="work"
    )"),
                                      request)
                               .phases.value();
    const PhaseFigures host = figures(find(list, "work"), "host");
    CHECK(host.allocations == 2);
    CHECK(host.frees == 1);
    CHECK(host.allocated_bytes == 15);
    CHECK(host.peak_bytes == 7);  // The space was at its peak at 3.
    CHECK(host.peak_time_ns == 3);
    CHECK(host.kept_bytes == 8);
    CHECK(host.end_bytes == 8);
}
