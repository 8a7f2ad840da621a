// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/run_slices.h"

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

Model load_cut(const std::string& story, const SliceOptions& slices = {}) {
    const TempFile file(dump_from_text(story));
    LoadOptions options;
    options.slices = slices;
    return load_dump(file.path(), {}, options);
}

// Returns a story with one block in each of `steps` steps of 100 ticks, with marks.
std::string marked(int steps, const char* name = "step") {
    std::string story;
    for (int i = 0; i < steps; ++i) {
        story +=
            fmt::format("mark lane=0 time={} kind=begin text=\"{} {}\"\n", 100 * i + 100, name, i);
        story += fmt::format("acquire lane=0 time={} stack=0 size=10 address={:#x}\n",
                             100 * i + 150, 0x1000 + 16 * i);
    }
    return story;
}

}  // namespace

TEST_CASE("steps are slices: what lies before them is one of its own") {
    const Model model =
        load_cut("acquire lane=0 time=50 stack=0 size=7 address=0x9000\n" + marked(20));
    CHECK(model.slices.step == "step #");
    CHECK(model.slices.steps == 19);  // Nothing marks the end of the last step.
    REQUIRE(model.slices.slices.size() == 20);
    CHECK(model.slices.slices[0].steps == 0);
    CHECK(model.slices.slices[0].events == 1);
    CHECK(model.slices.slices[1].steps == 1);
    const SiteHistory& history = space_named(model, "host")->history;
    REQUIRE(history.held.size() == 20);
    CHECK(history.held[0].bytes == 7);
    CHECK(history.held[19].bytes == 7 + 19 * 10);
}

TEST_CASE("a page has the whole run: slices are cut further, and go on after the last step") {
    std::string story;
    for (int i = 0; i < 95; ++i) {
        story += fmt::format("acquire lane=0 time={} stack=0 size=7 address={:#x}\n", i,
                             0x9000 + 16 * i);
    }
    story += marked(20) + "work_end lane=0 time=5000\n";
    SliceOptions options;
    const Model steps = load_cut(story, options);
    options.covers_run = true;
    const Model model = load_cut(story, options);
    CHECK(model.slices.steps == steps.slices.steps);
    std::vector<uint64_t> judged, ends;
    for (const RunSlice& slice : model.slices.slices) {
        if (!slice.is_part && !slice.is_after) judged.push_back(slice.end_ns);
        if (!ends.empty()) CHECK(slice.end_ns > ends.back());
        ends.push_back(slice.end_ns);
    }
    std::vector<uint64_t> wanted;
    for (const RunSlice& slice : steps.slices.slices) wanted.push_back(slice.end_ns);
    CHECK(judged == wanted);
    CHECK(model.slices.slices.front().is_part);
    CHECK(model.slices.slices.back().is_after);
    CHECK(model.slices.slices.size() <= 240);
    const Space& host = *space_named(model, "host");
    CHECK(host.history.held.back().bytes == host.totals.held_bytes);
    CHECK(host.history.held.back().allocated_bytes == host.totals.allocated_bytes);
    uint64_t born = 0, born_of_steps = 0;
    for (const BornPoint& point : host.history.born) born += point.bytes;
    for (const BornPoint& point : space_named(steps, "host")->history.born) {
        born_of_steps += point.bytes;
    }
    CHECK(born == born_of_steps);
}

TEST_CASE("a page's slices have the borders of phases, and growth is judged by the same slices") {
    // Phases begin and end in the middle of what else would be slices; "outer" is around steps.
    const auto story = [](bool with_steps) {
        std::string text = "mark lane=0 time=3 kind=begin text=\"outer\"\n";
        for (int i = 0; i < 2000; ++i) {
            const int time = 10 * i + 5;
            text += fmt::format("acquire lane=0 time={} stack=0 size=7 address={:#x}\n", time,
                                0x9000 + 16 * i);
            if (i == 500 || i == 1200) {
                text +=
                    fmt::format("mark lane=0 time={} kind=begin text=\"load {}\"\n", time + 1, i);
            }
            if (i == 501 || i == 1300) {
                text += fmt::format("mark lane=0 time={} kind=end text=\"load {}\"\n", time + 2,
                                    i == 501 ? 500 : 1200);
            }
            if (with_steps)
                text +=
                    fmt::format("mark lane=0 time={} kind=mark text=\"step {}\"\n", time + 3, i);
        }
        return text +
               "mark lane=0 time=20010 kind=end text=\"outer\"\nwork_end lane=0 time=20500\n";
    };
    for (const bool with_steps : {false, true}) {
        SliceOptions options;
        const Model plain = load_cut(story(with_steps), options);
        options.covers_run = true;
        const Model model = load_cut(story(with_steps), options);
        std::vector<uint64_t> judged, wanted, ends;
        for (const RunSlice& slice : model.slices.slices) {
            if (!slice.is_part && !slice.is_after) judged.push_back(slice.end_ns);
            if (!ends.empty()) CHECK(slice.end_ns > ends.back());
            ends.push_back(slice.end_ns);
        }
        for (const RunSlice& slice : plain.slices.slices) wanted.push_back(slice.end_ns);
        judged.resize(std::min(judged.size(), wanted.size()));
        CHECK(judged == wanted);
        CHECK(ends.size() <= 120 + 110 + 2 + PhaseBorders::borders_max);
        for (const MarkInfo& mark : model.marks) {
            if (mark.kind == MarkKind::mark) continue;
            INFO(mark.text << " at " << mark.time_ns);
            const bool is_start = ends.empty() || mark.time_ns < ends.front();
            CHECK((is_start || std::find(ends.begin(), ends.end(), mark.time_ns) != ends.end()));
        }
        const SiteHistory& history = space_named(model, "host")->history;
        CHECK(history.held.back().bytes == 14'000);
    }
}

TEST_CASE("many steps share slices, and none is lost") {
    const Model model =
        load_cut(marked(1000) + "mark lane=0 time=100100 kind=end text=\"step 9\"\n");
    CHECK(model.slices.steps == 1000);
    CHECK(model.slices.slices.size() <= 120);
    uint64_t steps = 0;
    for (const RunSlice& slice : model.slices.slices) steps += slice.steps;
    CHECK(steps == 1000);
}

TEST_CASE("the mark that speaks of steps is chosen, or the one that is asked for") {
    const std::string story =
        marked(20) + "mark lane=1 time=10 kind=mark text=\"a\"\n" + marked(0) + [] {
            std::string more;
            for (int i = 0; i < 40; ++i) {
                more += fmt::format("mark lane=1 time={} kind=mark text=\"layer {}\"\n",
                                    50 * i + 20, i);
            }
            return more;
        }();
    CHECK(load_cut(story).slices.step == "step #");
    CHECK(load_cut(story, {"layer 7", 120, {}}).slices.step == "layer #");
    CHECK_THROWS_WITH(load_cut(story, {"epoch", 120, {}}), Catch::Contains("layer #, step #"));
}

TEST_CASE("without marks the run is cut by time and by events, up to the end of the work") {
    std::string story;
    for (int i = 0; i < 500; ++i) {
        story += fmt::format("acquire lane=0 time={} stack=0 size=10 address={:#x}\n", 1000 * i,
                             0x1000 + 16 * i);
    }
    story += "work_end lane=0 time=500000\n";
    for (int i = 0; i < 500; ++i) {
        story +=
            fmt::format("release lane=0 time={} address={:#x}\n", 500'001 + i, 0x1000 + 16 * i);
    }
    const Model model = load_cut(story);
    CHECK(model.slices.step.empty());
    CHECK_FALSE(model.slices.is_trimmed);
    CHECK(model.slices.slices.size() > 100);
    const Space& host = *space_named(model, "host");
    CHECK(host.history.held.back().bytes == 5000);
    uint64_t born = 0;
    for (const BornPoint& point : host.history.born) born += point.blocks;
    CHECK(born == 500);
    CHECK(host.totals.held_bytes == 5000);
    CHECK(host.totals.live_bytes == 0);
}

TEST_CASE("as long as it runs, the run has as many slices") {
    for (const int count : {200, 3'000, 40'000}) {
        std::string story;
        for (int i = 0; i < count; ++i) {
            story += fmt::format("acquire lane=0 time={} stack=0 size=1 address={:#x}\n", 10 * i,
                                 0x1000 + 16 * i);
        }
        const Model model = load_cut(story);
        CHECK(model.slices.slices.size() > 80);
        CHECK(model.slices.slices.size() <= 120);
        const SiteHistory history = space_named(model, "host")->histories[0];
        CHECK(history.held.size() == model.slices.slices.size());
        CHECK(history.held.back().blocks == static_cast<uint64_t>(count));
        CHECK(history.born.size() == model.slices.slices.size());
    }
}

TEST_CASE("the last step counts, whatever is released after it") {
    std::string story = marked(20);
    for (int i = 0; i < 20; ++i) {
        story += fmt::format("release lane=0 time={} address={:#x}\n", 3000 + i, 0x1000 + 16 * i);
        story += fmt::format("acquire lane=0 time={} stack=0 size=99 address={:#x}\n", 3100 + i,
                             0x9000 + 16 * i);
    }
    const Model model = load_cut(story);
    const SiteHistory& history = space_named(model, "host")->history;
    CHECK(model.slices.slices.back().end_ns == 2000);
    CHECK(history.held.back().bytes == 190);
    REQUIRE(history.born.size() == 19);
    for (const BornPoint& point : history.born) CHECK(point.bytes == 10);
}

TEST_CASE("what only releases before the end of the work is left out") {
    std::string story;
    for (int i = 0; i < 500; ++i) {
        story += fmt::format("acquire lane=0 time={} stack=0 size=10 address={:#x}\n", 1000 * i,
                             0x1000 + 16 * i);
    }
    for (int i = 0; i < 500; ++i) {
        story +=
            fmt::format("release lane=0 time={} address={:#x}\n", 500'000 + i, 0x1000 + 16 * i);
    }
    const Model model = load_cut(story + "work_end lane=0 time=501000\n");
    CHECK(model.slices.is_trimmed);
    CHECK(space_named(model, "host")->history.held.back().bytes == 5000);
    CHECK(space_named(model, "host")->totals.held_bytes == 0);
}

TEST_CASE("a program that goes on after it has let go of its data is cut to its end") {
    const auto is_trimmed = [](bool keeps, int pause) {
        std::string story;
        const auto add = [&](const char* what, int time, int block) {
            const bool takes = *what == 'a';
            story += fmt::format("{} lane=0 time={}{} address={:#x}\n", what, time,
                                 takes ? " stack=0 size=10" : "", 0x1000 + 16 * block);
        };
        for (int i = 0; i < 1000; ++i) add("acquire", 2 * i, i);
        for (int i = 0; i < 1000; ++i) add("release", 2000 + i / 10, i);
        for (int i = 0; i < 40; ++i) {
            add("acquire", 2200 + i * pause, 2000 + i);
            if (!keeps) add("release", 2201 + i * pause, 2000 + i);
        }
        story += fmt::format("work_end lane=0 time={}\n", 2300 + 40 * pause);
        return load_cut(story).slices.is_trimmed;
    };
    CHECK_FALSE(is_trimmed(true, 10));
    CHECK_FALSE(is_trimmed(true, 1000));
    CHECK_FALSE(is_trimmed(false, 1000));
    CHECK(is_trimmed(false, 5));  // What the end of the work needs for a moment.
}

TEST_CASE("by request, the rest of the work is there too") {
    std::string story;
    for (int i = 0; i < 500; ++i) {
        story += fmt::format("acquire lane=0 time={} stack=0 size=10 address={:#x}\n", 100 + i,
                             0x1000 + 16 * i);
    }
    for (int i = 0; i < 500; ++i)
        story += fmt::format("release lane=0 time={} address={:#x}\n", 600 + i, 0x1000 + 16 * i);
    story += "work_end lane=0 time=1200\n";
    SliceOptions options;
    CHECK(load_cut(story, options).slices.judged() ==
          load_cut(story, options).slices.slices.size());
    options.covers_end = true;
    const Model model = load_cut(story, options);
    CHECK(model.slices.is_trimmed);
    CHECK(model.slices.judged() < model.slices.slices.size());
    CHECK(model.slices.slices.back().is_after);
    CHECK(model.slices.slices.back().end_ns > 1000);
}

TEST_CASE("the last step of a loop lasts about as long as the others") {
    BegunSteps steps;
    CHECK_FALSE(steps.is_one_step_ago(0));
    steps.add(100);
    CHECK_FALSE(steps.is_one_step_ago(100));
    steps.add(110);
    steps.add(120);
    CHECK(steps.is_one_step_ago(120));
    CHECK(steps.is_one_step_ago(150));
    CHECK_FALSE(steps.is_one_step_ago(151));
    CHECK_FALSE(steps.is_one_step_ago(90));
}
