// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_leaks.h"

#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("page leaks: a finding has the curves of all its call sites") {
    GrowingStory story;
    story.recording.model.process.end = "exit 0";
    story.keeps({"libc:malloc", "keep a.cpp:1", "main a.cpp:9"}, 100);
    PageNames names(story.recording, {});
    const Growth growth = find_growth(story.recording);
    const Json json = page_leaks_json(story.recording, growth, names);
    REQUIRE(json["findings"].size() == 1);
    const Json& finding = json["findings"][0];
    CHECK(finding["verdict"] == "leak");
    CHECK(finding["held_bytes"] == 10'000);
    CHECK(finding["held"].size() == 100);
    CHECK(finding["held"][0] == 100);
    CHECK(finding["held"][99] == 10'000);
    CHECK(finding["born"][42] == 100);
    CHECK(finding["per_step"] == 100.0);
    CHECK(names.frames().size() >= finding["frames"].size());
}

TEST_CASE("page leaks: memory is held by the page's slices, and born in those that are judged") {
    GrowingStory story;
    story.keeps({"libc:malloc", "keep a.cpp:1", "main a.cpp:9"}, 100);
    std::vector<RunSlice>& slices = story.recording.model.slices.slices;
    slices[40].is_part = slices[41].is_part = true;
    slices[40].steps = slices[41].steps = 0;
    slices[99].is_after = true;
    PageNames names(story.recording, {});
    const Json json = page_leaks_json(story.recording, find_growth(story.recording), names);
    const Json& finding = json["findings"][0];
    REQUIRE(finding["held"].size() == 100);
    CHECK(finding["held"][39] == 4000);
    CHECK(finding["held"][40] == 4100);
    CHECK(finding["held"][99] == 10'000);
    REQUIRE(finding["born"].size() == 97);
    CHECK(finding["born"][40] == 300);
    CHECK(finding["born"][41] == 100);
    REQUIRE(json["ends_ns"].size() == 97);
    CHECK(json["ends_ns"][39] == slices[39].end_ns);
    CHECK(json["ends_ns"][40] == slices[42].end_ns);
}

TEST_CASE("page leaks: why growth was not judged") {
    const Story story = training();
    PageNames names(story.recording, {});
    const Growth growth = find_growth(story.recording);
    const Json json = page_leaks_json(story.recording, growth, names);
    CHECK(json["not_judged"] == "nothing was allocated while the program worked");
    CHECK(json["findings"].empty());
}
