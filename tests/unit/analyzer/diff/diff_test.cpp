// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff.h"

#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a recording and itself: nothing differs") {
    for (const Story& story : {training(), python_training(), backward_training(), Story()}) {
        const Diff diff = diff_of(story, story);
        CHECK_FALSE(diff.differs());
        CHECK(adds_up(diff));
        for (const DiffedSpace& space : diff.spaces) {
            for (const DiffedLine& line : space.lines) {
                CHECK(line.before != nullptr);
                CHECK(line.after != nullptr);
            }
        }
    }
}

TEST_CASE("lines that moved are the same lines; a new one among them is new") {
    Story before, after;
    before.site("host", before.stack({"py:read /src/a.py:10", "py:<module> /src/a.py:30"}), 1, 500);
    before.site("host", before.stack({"py:parse /src/a.py:20", "py:<module> /src/a.py:31"}), 2, 40);
    after.site("host", after.stack({"py:read /src/a.py:14", "py:<module> /src/a.py:40"}), 1, 500);
    after.site(
        "host",
        after.stack({"py:log /src/a.py:18", "py:read /src/a.py:15", "py:<module> /src/a.py:40"}), 5,
        1000);
    after.site("host", after.stack({"py:parse /src/a.py:24", "py:<module> /src/a.py:41"}), 2, 60);
    const Diff diff = diff_of(before, after);
    CHECK(adds_up(diff));
    CHECK(lines_of(diff) == std::vector<std::string>{"- | log /src/a.py:18 +5000",
                                                     "parse /src/a.py:20 | parse /src/a.py:24 +40",
                                                     "read /src/a.py:10 | read /src/a.py:14 0"});
}

TEST_CASE("two functions of one name in two files are two lines, and stay apart") {
    Story before, after;
    for (Story* story : {&before, &after}) {
        const bool is_after = story == &after;
        story->site("host",
                    story->stack({is_after ? "py:f /new/one/a.py:5" : "py:f /old/one/a.py:5"}), 1,
                    10);
        story->site("host",
                    story->stack({is_after ? "py:f /new/two/a.py:5" : "py:f /old/two/a.py:5"}), 1,
                    is_after ? 90 : 20);
    }
    const Diff diff = diff_of(before, after);
    CHECK(adds_up(diff));
    CHECK(lines_of(diff) == std::vector<std::string>{"f /old/one/a.py:5 | f /new/one/a.py:5 0",
                                                     "f /old/two/a.py:5 | f /new/two/a.py:5 +70"});
}

TEST_CASE("a C++ program built again in another folder: its lambdas and clones are the same") {
    Story before, after;
    before.site("host",
                before.stack({"run()::{lambda(int)#1}::operator()(int) const /old/a.cpp:7",
                              "run() [clone .isra.0] /old/a.cpp:9", "main /old/a.cpp:20"}),
                1, 100);
    after.site("host",
               after.stack({"run()::{lambda(int)#2}::operator()(int) const /new/b/a.cpp:8",
                            "run() /new/b/a.cpp:10", "main /new/b/a.cpp:21"}),
               1, 100);
    const Diff diff = diff_of(before, after);
    CHECK(lines_of(diff).size() == 1);
    CHECK_FALSE(diff.differs());
}

TEST_CASE("a recursion that goes deeper is the same call site") {
    Story before, after;
    before.site("host", before.stack({"py:f /src/a.py:3", "py:f /src/a.py:4", "py:g /src/a.py:9"}),
                1, 10);
    after.site("host",
               after.stack({"py:f /src/a.py:3", "py:f /src/a.py:4", "py:f /src/a.py:4",
                            "py:f /src/a.py:4", "py:g /src/a.py:9"}),
               1, 15);
    const Diff diff = diff_of(before, after);
    REQUIRE(diff.spaces[0].sites.size() == 1);
    CHECK(diff.spaces[0].sites[0].before != nullptr);
    CHECK(diff.spaces[0].sites[0].figures.after.peak_bytes == 15);
    CHECK(lines_of(diff).size() == 1);
}

TEST_CASE("a space that only one of them has is compared with nothing") {
    Story before = training(), after = training();
    before.site("pinned", before.stack({"main a.cpp:1"}), 1, 64);
    after.site("device:0", after.stack({"main a.cpp:1"}), 1, 4096);
    const Diff diff = diff_of(before, after);
    REQUIRE(diff.spaces.size() == 3);
    CHECK(diff.spaces[1].name == "device:0");
    CHECK(diff.spaces[1].totals.before == DiffFigures{});
    CHECK(diff.spaces[1].totals.after.peak_bytes == 4096);
    CHECK(diff.spaces[2].name == "pinned");
    CHECK(diff.spaces[2].totals.after == DiffFigures{});
    CHECK(adds_up(diff));
}

TEST_CASE("figures of steps are for one step, and only if both have steps") {
    Story before = training(), after = training();
    for (Story* story : {&before, &after}) {
        RunSlices& slices = story->recording.model.slices;
        slices.slices = {{1, 0, 0}, {2, 5, 10}};
        slices.step = "step #";
        slices.steps = story == &before ? 10 : 20;
    }
    const Diff diff = diff_of(before, after);
    CHECK(diff.has_steps);
    DiffPair pair;
    pair.before.step_bytes = pair.after.step_bytes = 1000;
    const DiffValue value = value_of(diff, pair, step_difference);
    CHECK(value.before == 100);
    CHECK(value.after == 50);
    CHECK(value_of(diff, pair, peak_difference).after == 0);
    CHECK_FALSE(diff_of(before, training()).has_steps);
}
