// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_side.h"

#include <algorithm>

#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a side has the totals of its spaces, its lines and its call sites") {
    const Story story = training();
    const DiffSide side = side_of(story);
    REQUIRE(side.spaces.size() == 1);
    CHECK(side.spaces[0].totals.peak_bytes == story.recording.model.spaces[0].totals.at_peak_bytes);
    CHECK(side.spaces[0].sites.size() == 3);
    CHECK(side.lines.size() == 2);
    CHECK(side.program == "train");
    CHECK_FALSE(side.steps);
    CHECK(find_space(side, "host") != nullptr);
    CHECK(find_space(side, "mmap") == nullptr);
}

TEST_CASE("call sites with the same key are one, and their sum counts") {
    Story story;
    story.site("host", story.stack({"py:f /src/a.py:1", "py:main /src/a.py:9"}), 1, 100);
    story.site("host", story.stack({"py:f /src/a.py:2", "py:main /src/a.py:8"}), 1, 50);
    story.site("host",
               story.stack({"py:f /src/a.py:2", "py:f /src/a.py:3", "py:f /src/a.py:3",
                            "py:main /src/a.py:8"}),
               1, 7);
    const DiffSide side = side_of(story);
    REQUIRE(side.spaces[0].sites.size() == 1);
    CHECK(side.spaces[0].sites[0].key == "f (a.py) < main (a.py)");
    CHECK(side.spaces[0].sites[0].figures.peak_bytes == 157);
}

TEST_CASE("keys of lines have no numbers, folders, addresses or versions") {
    Story story;
    story.recording.model.process.executable = "/build/one/train";
    story.site("host",
               story.stack({"run()::{lambda(int)#2}::operator()(int) const /src/a.cpp:7", "main"}),
               1, 1);
    for (Frame& frame : story.recording.symbols.frames) frame.module = "/build/one/train";
    const DiffSide side = side_of(story);
    REQUIRE(side.lines.size() == 1);
    CHECK(side.lines[0].key == "run::{lambda}::operator()");
}

TEST_CASE("code of the program without names is the same under another name of the program") {
    const auto key = [](const std::string& program) {
        Story story;
        story.recording.model.process.executable = program;
        story.site("host", story.stack({"f"}), 1, 1);
        for (Frame& frame : story.recording.symbols.frames) {
            frame.module = program;
            frame.named = false;
        }
        return side_of(story).lines.at(0).key;
    };
    CHECK(key("/build/one/train") == key("/other/serve-2"));
    CHECK(key("/build/one/train") == "code of the program");
}

TEST_CASE("steps are those at which the run was cut") {
    Story story = training();
    RunSlices& slices = story.recording.model.slices;
    slices.slices = {{1, 0, 0}, {2, 5, 10}};
    slices.steps = 5;
    slices.step = "step #";
    CHECK(side_of(story).steps->count == 5);
    CHECK(side_of(story).steps->name == "step #");
    slices.slices.pop_back();
    CHECK_FALSE(side_of(story).steps);
}
