// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_times.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

// A loop whose first line is node 3 and whose last one is node 4, in the function of node 1.
LoopTurns loop() {
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 1u, 1u, 1u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        nodes.push_back(node);
    }
    LoopTurns loop;
    loop.begins = {uint64_t{2} << 32 | 3, uint64_t{4} << 32 | 3};
    loop.inside = {3, 4};
    loop.frames = std::make_shared<PathFrames>(nodes);
    return loop;
}

// Acquisitions by these stacks, one at each time from 10 on.
std::string story_of(const std::vector<int>& stacks) {
    std::string story;
    for (int id = 1; id <= 5; ++id) {
        story += "node lane=0 time=1 id=" + std::to_string(id) +
                 " parent=" + (id == 1 ? "0" : "1") + " kind=native module=0 address=0x10\n";
    }
    int time = 10;
    for (const int stack : stacks) {
        story += "acquire lane=0 time=" + std::to_string(time) + " stack=" + std::to_string(stack) +
                 " size=8 address=" + std::to_string(4096 + 16 * time) + "\n";
        time += 1;
    }
    return story;
}

}  // namespace

TEST_CASE("step_times: when each step began, and when the last one ended") {
    const TempFile file(dump_from_text(story_of({2, 3, 4, 3, 4, 5, 2})));
    const StepTimes times = load_step_times(file.path(), loop());
    REQUIRE(times.begins.size() == 2);
    CHECK(times.begins[0] < times.begins[1]);
    CHECK(times.begins[1] < times.end);
}

TEST_CASE("step_times: a loop that goes on to the end, and one that never runs") {
    const TempFile open(dump_from_text(story_of({2, 3, 4, 3, 4})));
    const StepTimes times = load_step_times(open.path(), loop());
    CHECK(times.begins.size() == 2);
    CHECK(times.end > times.begins.back());
    const TempFile other(dump_from_text(story_of({2, 5})));
    CHECK(load_step_times(other.path(), loop()).begins.empty());
}

TEST_CASE("step_times: the head of a loop that runs once more is no step") {
    LoopTurns turns = loop();
    turns.count = 2;
    const TempFile file(dump_from_text(story_of({2, 3, 4, 3, 4, 3, 5})));
    CHECK(load_step_times(file.path(), turns).begins.size() == 2);
}
