// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_run.h"

#include "analyzer/base/utf8.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using memtrace::MarkKind;
using namespace memtrace::analyzer;

namespace {

Json run_of(const Recording& recording, const PageOptions& options = {}) {
    return page_run_json(recording, PageNames(recording, options), options);
}

}  // namespace

TEST_CASE("page run: program, slices and samples") {
    GrowingStory story;
    story.keeps({"main a.cpp:9"}, 100);
    story.resident(1000);
    const Json json = run_of(story.recording);
    CHECK(json["program"]["command"] == "train --steps 3");
    CHECK(json["program"]["dump"] == "dump.bin");
    CHECK(json["slices"]["end_ns"].size() == 100);
    CHECK(json["slices"]["step"] == "step #");
    story.recording.model.slices.slices[97].is_part = true;
    const Json parts = run_of(story.recording)["slices"]["is_part"];
    REQUIRE(parts.size() == 100);
    CHECK(parts[96] == 0);
    CHECK(parts[97] == 1);
    CHECK(parts[98] == 0);
    CHECK(json["samples"].size() == 61);
    CHECK(json["samples"][60][1] == 1 << 30);
}

TEST_CASE("page run: arguments and folders can be left out") {
    Story story;
    story.recording.model.process.command = {"/home/me/bin/train", "--token", "abc"};
    story.recording.model.notes.push_back({"shim", "cannot read /home/me/x.so"});
    CHECK(run_of(story.recording)["program"]["command"] == "/home/me/bin/train --token abc");
    CHECK(run_of(story.recording, {.short_paths = true})["program"]["command"] ==
          "train --token abc");
    const Json bare = run_of(story.recording, {.with_command = false, .short_paths = true});
    CHECK(bare["program"]["command"] == "train");
    CHECK(bare.dump().find("abc") == std::string::npos);
    CHECK(bare.dump().find("/home") == std::string::npos);
}

TEST_CASE("page run: the title has no folder of the program, and names a script") {
    Story story;
    const auto title_of = [&](std::vector<std::string> words, const PageOptions& options = {}) {
        story.recording.model.process.command = std::move(words);
        return run_of(story.recording, options)["program"]["title"].get<std::string>();
    };
    CHECK(title_of({"/home/me/my programs/a b", "-x", "/data/in"}) == "a b -x /data/in");
    CHECK(title_of({"/usr/bin/python3", "/home/me/my train.py", "1"}) == "my train.py 1");
    CHECK(title_of({"/usr/bin/python3", "-c", "pass"}) == "python3 -c pass");
    CHECK(title_of({"/usr/bin/a", "/data/in"}, {.short_paths = true}) == "a in");
    CHECK(title_of({"/usr/bin/a", "token"}, {.with_command = false}) == "a");
    std::vector<ProcessPart>& parts = story.recording.merged.processes;
    parts.resize(3);
    parts[0].process.command = parts[1].process.command = {"/usr/bin/a"};
    CHECK(title_of({"/usr/bin/a"}) == "a, and 1 other command");
    CHECK(run_of(story.recording)["program"]["commands"] == 2);
}

TEST_CASE("page run: texts are not cut inside a character") {
    Story story;
    for (size_t before = 0; before < 4; ++before) {
        std::string text(before, 'a');
        for (int i = 0; i < 150; ++i) text += "\xf0\x9f\x92\xa9";  // U+1F4A9
        story.recording.model.marks = {{1, MarkKind::mark, text}};
        story.recording.model.process.command = {text + text + text + text};
        const Json json = run_of(story.recording);
        for (const Json& cut : {json["marks"][0][1], json["program"]["title"]}) {
            const auto shown = cut.get<std::string>();
            CHECK(valid_utf8(shown) == shown);
            CHECK(shown.ends_with("\x92\xa9…"));
        }
    }
    story.recording.model.marks = {{1, MarkKind::mark, std::string(300, '\x80')}};
    CHECK(run_of(story.recording)["marks"][0][1] == std::string(200, '\x80') + "…");
}

TEST_CASE("page run: why nothing is there") {
    Story story;
    CHECK(run_of(story.recording)["nothing"] == "Nothing was allocated.");
    story.recording.model.damaged = true;
    CHECK(run_of(story.recording)["nothing"] ==
          "Nothing that can be read was allocated: events are missing.");
    story.recording.model.capture.gaps.push_back({});
    CHECK(run_of(story.recording)["nothing"] == "Nothing was recorded.");
}

TEST_CASE("page run: many samples are thinned out, and the largest stays") {
    Story story;
    for (uint64_t i = 0; i < 100'000; ++i)
        story.recording.model.samples.push_back({i, i % 77'777, 0});
    const Json json = run_of(story.recording);
    CHECK(json["samples"].size() <= 1300);
    uint64_t most = 0;
    for (const Json& sample : json["samples"]) most = std::max(most, sample[1].get<uint64_t>());
    CHECK(most == 77'776);
}

TEST_CASE("page run: what was left out is said") {
    Story story;
    for (uint64_t i = 0; i < 2000; ++i) {
        story.recording.model.marks.push_back({i, memtrace::MarkKind::mark, "m"});
    }
    story.recording.model.problems.push_back({"a chunk is damaged", 1, 2});
    const std::string text = run_of(story.recording)["remarks"].dump();
    CHECK(text.find("2,000 marks, of which the page has 750") != std::string::npos);
    CHECK(text.find("a chunk is damaged") != std::string::npos);
}

TEST_CASE("page run: the filters are words of a command") {
    Story story;
    CHECK(run_of(story.recording)["filters"].empty());
    FilterInfo& info = story.recording.model.filters.emplace();
    info.filters.threads = {"till*"};
    info.filters.own = true;
    CHECK(run_of(story.recording)["filters"] == Json({"--thread", "till*", "--own"}));
}

TEST_CASE("page run: marked steps need no loop") {
    Story story;
    story.recording.model.loops.why_none = "no loop is a step";
    const auto remarks = [&] { return run_of(story.recording)["remarks"].dump(); };
    CHECK(remarks().find("none were found: no loop is a step") != std::string::npos);
    story.recording.model.slices.steps = 3000;
    CHECK(remarks().find("none were found") == std::string::npos);
}

TEST_CASE("page run: of many phases and marks, whole ones stay, and the others are counted") {
    Story story;
    Model& model = story.recording.model;
    model.process.duration_ns = 100'000;
    uint64_t time = 0;
    const auto mark = [&](MarkKind kind, const std::string& text) {
        model.marks.push_back({++time, kind, text});
    };
    mark(MarkKind::begin, "warm-up");
    for (int i = 0; i < 2000; ++i) {
        mark(MarkKind::begin, "batch");
        mark(MarkKind::mark, "point");
        mark(MarkKind::end, "batch");
    }
    mark(MarkKind::end, "warm-up");
    mark(MarkKind::begin, "serve");
    const Json json = run_of(story.recording);
    CHECK(json["phases"].size() == 750);
    CHECK(json["phases"][0] == Json({1, 6002, 0, "warm-up"}));
    CHECK(json["phases"][1] == Json({2, 4, 1, "batch"}));
    CHECK(json["phases"][749] == Json({6003, nullptr, 0, "serve"}));
    CHECK(json["marks"].size() == 750);
    CHECK(json["marks"][0] == Json({3, "point"}));
    CHECK(json["marks"][749][0] > 5900);
    CHECK(json["left_out"] == Json({{"phases", 1252}, {"phases_without_end", 0}, {"marks", 1250}}));
}
