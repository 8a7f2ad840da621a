// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth.h"

#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Cuts each slice further at a time that differs, as it is done for a page, and adds what came
// after the last one.
void cut_for_page(Model& model) {
    RunSlices& run = model.slices;
    std::vector<RunSlice> slices;
    uint64_t begin = 0;
    for (const RunSlice& slice : run.slices) {
        const uint64_t parts = slices.size() % 3 + 2;
        RunSlice part{begin + (slice.end_ns - begin) / parts, 0, slice.events / parts, true};
        slices.push_back(part);
        slices.push_back(slice);
        slices.back().events -= part.events;
        begin = slice.end_ns;
    }
    slices.push_back({begin + 1000, 0, 50, false, true});
    run.slices = slices;
    const auto end = static_cast<uint32_t>(slices.size() - 1);
    const auto move = [&](SiteHistory& history) {
        for (HeldPoint& point : history.held) point.slice = 2 * point.slice + 1;
        for (BornPoint& point : history.born) point.slice = 2 * point.slice + point.slice % 2;
        if (!history.held.empty()) history.held.push_back({end, 7, 7, 1 << 30, 1 << 30});
    };
    for (Space& space : model.spaces) {
        move(space.history);
        SiteHistories moved;
        for (size_t i = 0; i < space.histories.size(); ++i) {
            SiteHistory history = space.histories[i];
            move(history);
            moved.push_back(history);
        }
        space.histories = std::move(moved);
    }
}

}  // namespace

TEST_CASE("a leak is a finding with its rate by step and by hour") {
    GrowingStory story;
    story.keeps({"libc:malloc", "keep app.cpp:3", "main app.cpp:9"}, 64);
    story.keeps({"libc:malloc", "load app.cpp:5", "main app.cpp:8"}, 1000, 0, 10);
    const Growth growth = find_growth(story.recording);
    CHECK(growth.not_judged.empty());
    CHECK(growth.by_steps);
    REQUIRE(growth.leaks());
    const GrowthFinding& leak = growth.findings[0];
    CHECK(leak.space == "host");
    CHECK(leak.rate.bytes_per_step == Approx(64));
    CHECK(leak.rate.blocks_per_step == Approx(1));
    CHECK(leak.rate.bytes_per_hour == Approx(6400));
    CHECK(leak.held_bytes == 6400);
    REQUIRE(leak.frames.size() == 2);
    CHECK(story.recording.symbols.frames[leak.frames[0]].function == "keep");
    for (size_t i = 1; i < growth.findings.size(); ++i) {
        CHECK(growth.findings[i].verdict != Verdict::leak);
    }
    REQUIRE(growth.spaces.size() == 1);
    CHECK(growth.spaces[0].verdict == Verdict::leak);
    CHECK(growth.spaces[0].rate.bytes_per_step == Approx(64));
}

TEST_CASE("a space in which nothing leaks does not leak") {
    GrowingStory story;
    story.keeps({"load app.cpp:5"}, 1000, 0, 10);
    const Growth growth = find_growth(story.recording);
    CHECK_FALSE(growth.leaks());
    CHECK(growth.spaces[0].verdict == Verdict::warm_up);
}

TEST_CASE("a run with few steps, or with little time and few events, is not judged") {
    GrowingStory story;
    story.keeps({"keep app.cpp:3"}, 64);
    RunSlices& run = story.recording.model.slices;
    run.steps = 9;
    CHECK(find_growth(story.recording).not_judged ==
          "the program did 9 steps only: at least 10 are needed");
    run.step = "";
    for (RunSlice& slice : run.slices) slice = {slice.end_ns / 100'000'000, 0, 9};
    const Growth growth = find_growth(story.recording);
    CHECK(growth.not_judged.starts_with("the program worked for "));
    CHECK(growth.findings.empty());
    for (RunSlice& slice : run.slices) slice.events = 10;
    CHECK(find_growth(story.recording).not_judged.empty());
    CHECK_FALSE(find_growth(story.recording).leaks());
}

TEST_CASE("an estimate needs enough objects of its sample to be called a leak") {
    for (const uint64_t each : {1 << 18, 1 << 15, 1 << 10}) {
        GrowingStory story;
        story.keeps({"keep app.cpp:3"}, each, 0, GrowingStory::slices, 1, "python");
        story.recording.model.spaces[0].is_estimate = true;
        story.recording.model.spaces[0].sample_interval = 1 << 19;
        const Growth growth = find_growth(story.recording);
        CAPTURE(each);
        if (each == 1 << 10) {
            CHECK(growth.findings.empty());
            continue;
        }
        REQUIRE(growth.findings.size() == 1);
        CHECK(growth.findings[0].verdict == (each == 1 << 18 ? Verdict::leak : Verdict::growing));
        CHECK(growth.findings[0].why.find("of a sample") != std::string::npos);
    }
}

TEST_CASE("a sample of what stays the same goes up and down by chance, and is steady") {
    for (const bool is_sample : {false, true}) {
        GrowingStory story;
        SiteHistory history;
        for (uint32_t i = 0; i < GrowingStory::slices; ++i) {
            const uint64_t blocks = 60 + (i / 10 % 2 == 0 ? 0 : 20);  // of 64 KiB
            history.held.push_back({i, blocks << 16, blocks, 100 + i, (100 + i) << 16});
        }
        story.site("host", story.stack({"take app.cpp:3"}), 80, 1 << 16, 60);
        Space& host = story.space("host");
        host.histories.push_back(history);
        host.history = history;
        host.is_estimate = is_sample;
        host.sample_interval = is_sample ? 1 << 16 : 0;
        const Growth growth = find_growth(story.recording);
        REQUIRE(growth.spaces.size() == 1);
        CHECK(growth.spaces[0].verdict == (is_sample ? Verdict::steady : Verdict::periodic));
        CHECK(growth.findings.empty() == is_sample);
    }
}

TEST_CASE("a page, for which slices are cut further, has the findings of the report") {
    for (const bool is_found : {false, true}) {
        GrowingStory story;
        story.recording.model.slices.is_found = is_found;
        story.keeps({"libc:malloc", "keep app.cpp:3", "main app.cpp:9"}, 64);
        story.keeps({"libc:malloc", "load app.cpp:5", "main app.cpp:8"}, 1000, 0, 40);
        story.keeps({"libc:malloc", "late app.cpp:6", "main app.cpp:8"}, 5000, 80);
        for (int depth = 1; depth <= 20; ++depth) {
            std::vector<std::string> stack{"libc:malloc", "leaf tree.cpp:3"};
            stack.insert(stack.end(), depth, "visit tree.cpp:8");
            story.keeps(stack, 100, depth, GrowingStory::slices, 25);
        }
        // It waits in the last step, which ends with the program.
        RunSlice& last = story.recording.model.slices.slices.back();
        last.end_ns *= 2;
        last.events = 1;
        const Growth report = find_growth(story.recording);
        cut_for_page(story.recording.model);
        const Growth page = find_growth(story.recording);
        CHECK(page.points == report.points);
        CHECK(page.until_ns == report.until_ns);
        REQUIRE(page.findings.size() == report.findings.size());
        CHECK(report.findings.size() >= 3);
        for (size_t i = 0; i < page.findings.size(); ++i) {
            const GrowthFinding &a = report.findings[i], &b = page.findings[i];
            CHECK(b.verdict == a.verdict);
            CHECK(b.why == a.why);
            CHECK(b.members == a.members);
            CHECK(b.held_bytes == a.held_bytes);
            CHECK(b.grown_blocks == a.grown_blocks);
            CHECK(b.since_ns == a.since_ns);
            CHECK(b.rate.bytes_per_hour == a.rate.bytes_per_hour);
            CHECK(b.rate.bytes_per_step == a.rate.bytes_per_step);
        }
    }
}
