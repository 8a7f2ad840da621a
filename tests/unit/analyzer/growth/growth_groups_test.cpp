// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_groups.h"

#include "analyzer/growth/growth.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::vector<GrowthFinding> leaks_of(const GrowingStory& story) {
    std::vector<GrowthFinding> leaks = find_growth(story.recording).findings;
    std::erase_if(leaks, [](const auto& finding) { return finding.verdict != Verdict::leak; });
    return leaks;
}

std::string innermost(const GrowingStory& story, const GrowthFinding& finding) {
    const Frame& frame = story.recording.symbols.frames[finding.frames.at(0)];
    return frame.function + ":" + std::to_string(frame.line);
}

}  // namespace

TEST_CASE("a list that keeps graphs is one leak, at the line that made them") {
    GrowingStory story;
    for (const char* operation : {"py:linear net.py:4", "py:relu net.py:7", "py:loss net.py:9"}) {
        story.keeps({operation, "py:forward train.py:20", "py:<module> train.py:30"}, 100);
    }
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].sites == 3);
    CHECK(innermost(story, leaks[0]) == "forward:20");
    CHECK(leaks[0].rate.bytes_per_step == Approx(300));
    CHECK(leaks[0].parts.size() == 3);
    CHECK(leaks[0].lines.size() == 3);
}

TEST_CASE("of a leak in many places one's own lines are named, with their shares") {
    GrowingStory story;
    const std::string library = "py:linear /venv/lib/python3.11/site-packages/torch/nn.py:";
    for (const char* line : {"4", "5", "6"}) {
        story.keeps({library + line, "py:forward train.py:20", "py:<module> train.py:30"}, 300);
        story.keeps({library + line, "py:forward train.py:21", "py:<module> train.py:30"}, 100);
    }
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].parts.size() == 6);
    REQUIRE(leaks[0].lines.size() == 2);
    CHECK(story.recording.symbols.frames[leaks[0].lines[0].frame].line == 20);
    CHECK(leaks[0].lines[0].share == Approx(0.75));
    CHECK(story.recording.symbols.frames[leaks[0].lines[1].frame].line == 21);
}

TEST_CASE(
    "stacks with a block each that read the same are one place, as of a plugin loaded again") {
    GrowingStory story;
    for (uint64_t load = 0; load < GrowingStory::slices; ++load) {
        story.keeps({"forget plugin.c:3", "main app.cpp:8"}, 1000, load, load + 1);
    }
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].sites == GrowingStory::slices);
    CHECK(leaks[0].grown_blocks >= 90);
    CHECK(innermost(story, leaks[0]) == "forget:3");
}

TEST_CASE("the first rounds of a loop belong to its leak") {
    GrowingStory story;
    const std::string keep = "py:keep train.py:3", loop = "py:<module> train.py:8";
    story.keeps({"libc:malloc", "interpreter:list_append", keep, loop}, 100, 0, 1);
    story.keeps({"libc:malloc", "interpreter:list_resize", keep, loop}, 100, 1);
    REQUIRE(leaks_of(story).size() == 1);
    CHECK(leaks_of(story)[0].sites == 2);
    CHECK(leaks_of(story)[0].grown_blocks == GrowingStory::slices);
    // A list that gets longer takes blocks in the same line, too, of another size.
    story.keeps({"libc:malloc", "interpreter:list_grow", keep, loop}, 5000, 0, 1);
    REQUIRE(leaks_of(story).size() == 1);
    CHECK(leaks_of(story)[0].sites == 2);
}

TEST_CASE("code that runs for the first time keeps a block at each place, and leaks nothing") {
    GrowingStory story;
    for (uint64_t line = 0; line < GrowingStory::slices; ++line) {
        const std::string place = "define library.c:" + std::to_string(line + 1);
        story.keeps({place, "main app.cpp:8"}, 1000, line, line + 1);
    }
    CHECK(leaks_of(story).empty());
}

TEST_CASE("two leaks of one loop are two, also if they go in step") {
    GrowingStory story;
    story.keeps({"keep_name app.cpp:3", "main app.cpp:8"}, 10);
    story.keeps({"keep_body app.cpp:5", "main app.cpp:9"}, 90);
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 2);
    CHECK(innermost(story, leaks[0]) == "keep_body:5");
}

TEST_CASE("lines of one function that keep in step are one leak") {
    GrowingStory story;
    story.keeps({"make_node app.cpp:3", "main app.cpp:8"}, 10);
    story.keeps({"make_node app.cpp:4", "main app.cpp:8"}, 90);
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].sites == 2);
}

TEST_CASE("a line below a recursion is one leak, however deep the recursion went") {
    const auto visits = [](GrowingStory& story, const std::string& leaf, int depths,
                           uint64_t begin = 0) {
        for (int depth = 1; depth <= depths; ++depth) {
            std::vector<std::string> stack{leaf};
            // Left and right in turns.
            for (int i = 0; i < depth; ++i)
                stack.push_back("visit tree.cpp:" + std::to_string((i + depth) % 2 + 8));
            stack.push_back("main app.cpp:9");
            story.keeps(stack, 100, begin);
        }
    };
    for (const int depths : {2, 3, 9, 20, 30, 250}) {
        CAPTURE(depths);
        GrowingStory story;
        visits(story, "leaf tree.cpp:3", depths);
        const auto leaks = leaks_of(story);
        REQUIRE(leaks.size() == 1);
        CHECK(leaks[0].sites == static_cast<size_t>(depths));
        CHECK(innermost(story, leaks[0]) == "leaf:3");
    }
    GrowingStory two;
    visits(two, "keep_name tree.cpp:3", 9);
    visits(two, "keep_body tree.cpp:4", 9, 50);
    CHECK(leaks_of(two).size() == 2);
}

TEST_CASE("one function that is called by two lines of a loop is no recursion") {
    GrowingStory story;
    story.keeps({"make app.cpp:3", "build app.cpp:5", "main app.cpp:8"}, 10);
    story.keeps({"make app.cpp:3", "build app.cpp:5", "main app.cpp:9"}, 90);
    CHECK(leaks_of(story).size() == 2);
}

TEST_CASE("stacks with too few survivors each are a leak together, if they keep again and again") {
    GrowingStory story;
    for (int i = 0; i < 5; ++i) {
        story.keeps({"leaf" + std::to_string(i) + " app.cpp:3", "visit app.cpp:8"}, 10,
                    static_cast<uint64_t>(i) * 3, 100, 20);
    }
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].sites == 5);
    CHECK(innermost(story, leaks[0]) == "visit:8");
}

TEST_CASE("what runs once at each place and keeps something is no leak") {
    GrowingStory story;
    for (uint64_t i = 0; i < 50; ++i) {
        story.keeps({"module" + std::to_string(i) + " app.cpp:3", "import app.cpp:8"}, 10, 2 * i,
                    2 * i + 1);
    }
    CHECK(leaks_of(story).empty());
}

TEST_CASE("a leak below a recursion is one, though each of its stacks has a block or two") {
    GrowingStory story;
    // Each step goes down another way, and keeps a block in the leaf, six times.
    const auto go_down = [&story](const std::string& leaf, uint64_t step, uint64_t way) {
        std::vector<std::string> stack{leaf};
        for (; way != 0; way /= 3) {
            constexpr const char* operations[] = {"add e.cpp:3", "mul e.cpp:4", "neg e.cpp:5"};
            stack.push_back(operations[way % 3]);
        }
        stack.push_back("main e.cpp:20");
        story.keeps(stack, 48, step, step + 1);
    };
    for (uint64_t i = 0; i < 6 * GrowingStory::slices; ++i)
        go_down("leaf e.cpp:9", i / 6, 2187 + i);
    const auto leaks = leaks_of(story);
    REQUIRE(leaks.size() == 1);
    CHECK(leaks[0].sites == 600);
    CHECK(leaks[0].grown_blocks == 600);
    CHECK(innermost(story, leaks[0]) == "leaf:9");
    CHECK(story.recording.symbols.frames[leaks[0].frames.back()].function == "main");
}

TEST_CASE("a library that keeps a block at each of many places is not accused, but said") {
    GrowingStory story;
    for (uint64_t i = 0; i < GrowingStory::slices; ++i) {
        story.keeps({"remember /usr/include/lib.h:3", "caller" + std::to_string(i) + " app.cpp:8",
                     "main app.cpp:20"},
                    64, i, i + 1);
    }
    CHECK(leaks_of(story).empty());
    const std::vector<GrowthFinding> findings = find_growth(story.recording).findings;
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].verdict == Verdict::growing);
    CHECK(findings[0].grown_blocks == GrowingStory::slices);
}

TEST_CASE("what a group has is not listed once more") {
    GrowingStory story;
    for (uint64_t line : {3, 4}) {
        const std::string place = "keep app.cpp:" + std::to_string(line);
        story.keeps({place, "main app.cpp:8"}, 100'000, 0, 100, 3);
        story.keeps({place, "other app.cpp:12", "main app.cpp:9"}, 100'000, 10, 40, 6);
    }
    std::vector<uint32_t> members;
    for (const GrowthFinding& finding : find_growth(story.recording).findings)
        members.insert(members.end(), finding.members.begin(), finding.members.end());
    std::sort(members.begin(), members.end());
    CHECK(std::adjacent_find(members.begin(), members.end()) == members.end());
    CHECK(members.size() == 4);
}
