// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_timeline.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("report_timeline: a plot of each curve, its peak, and the marks below") {
    for (const size_t width : {80u, 140u, 200u}) {
        TextOptions options;
        options.width = width;
        std::string out;
        write_timeline(out, watched_story(two_threads), options, true);
        CHECK_THAT(out,
                   Contains("host\n") && Contains("▼ 150 B after 3 us") && Contains("150 B ┤"));
        CHECK_THAT(out, Contains("marks ") && Contains("1 half (2.5 us)"));
    }
}

TEST_CASE("report_timeline: whatever marks are called, they are harmless and short") {
    Recording recording = watched_story(two_threads);
    recording.model.marks[0].text = "\x1b[31m\n::error::" + std::string(100'000, 'x');
    std::string out;
    write_timeline(out, recording, {}, true);
    CHECK(out.find('\x1b') == std::string::npos);
    CHECK(out.find("\n::") == std::string::npos);
    CHECK(out.size() < 20'000);
    CHECK_NOTHROW(nlohmann::json::parse("{" + timeline_json(recording, {}) + "}"));
}

TEST_CASE("report_timeline: JSON has every slice of every curve") {
    const Recording recording = watched_story(two_threads);
    const auto json = nlohmann::json::parse("{" + timeline_json(recording, {}) + "}")["timeline"];
    REQUIRE(json["curves"].size() == 1);
    const auto& slices = json["curves"][0]["slices"];
    CHECK(slices[0]["start_ns"] == 0);
    CHECK(slices.back()["end"] == 50);
    CHECK(json["marks"][0]["text"] == "half");
}

TEST_CASE("report_timeline: every phase that is not shown is counted, and steps are no phases") {
    Recording recording = watched_story(two_threads);
    const auto add = [&](const std::string& name) {
        recording.model.marks.push_back({1000, memtrace::MarkKind::begin, name});
        recording.model.marks.push_back({2000, memtrace::MarkKind::end, name});
    };
    for (int i = 0; i < 3000; ++i) add("step " + std::to_string(i));
    TextOptions options;
    options.top = 8;
    const auto text = [&] {
        std::string out;
        write_timeline(out, recording, options, true);
        return out;
    };
    CHECK_THAT(text(), Contains("and 2,992 further phases"));
    add("step back");
    recording.model.slices.step = "step #";
    recording.model.slices.slices = {{.end_ns = 2000, .steps = 3000}};
    CHECK_THAT(text(), Contains("3,000 steps of step #") && Contains("step back"));
    CHECK_THAT(text(), !Contains("step 0") && !Contains("further phases"));
}

TEST_CASE("report_timeline: a profile without a course says so, and draws nothing") {
    Recording recording = watched_story(two_threads);
    recording.model.watch = nullptr;
    recording.merged.left_out.histories = true;
    std::string out;
    write_timeline(out, recording, {}, true);
    CHECK_THAT(out, Contains("has no course") && !Contains("▼") && !Contains("┤"));
}
