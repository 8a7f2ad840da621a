// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/loop_steps.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

using Step = LoopSteps::Step;

// main 1 ─┬─ before 2
//         ├─ first line of the loop 3
//         ├─ last line of the loop 4 ── callee 5
//         └─ behind 6
StackNodes example() {
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 1u, 1u, 4u, 1u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = 0x1000;
        nodes.push_back(node);
    }
    return nodes;
}

LoopTurns loop() {
    LoopTurns loop;
    loop.begins = {uint64_t{2} << 32 | 3, uint64_t{4} << 32 | 3};
    loop.inside = {3, 4};
    return loop;
}

}  // namespace

TEST_CASE("a step begins at a turn of the loop, and the last one ends where the loop is left") {
    const LoopTurns turns = loop();
    LoopSteps steps(turns);
    PathFrames frames(example());
    CHECK(steps.take(0, 2, frames) == Step::none);
    CHECK(steps.take(0, 3, frames) == Step::begins);
    CHECK(steps.take(0, 3, frames) == Step::none);
    CHECK(steps.take(0, 5, frames) == Step::none);
    CHECK(steps.take(0, 3, frames) == Step::begins);
    CHECK(steps.take(0, 5, frames) == Step::none);
    CHECK(steps.take(0, 6, frames) == Step::ends);
    CHECK(steps.take(0, 2, frames) == Step::none);
}

TEST_CASE("each thread has a path of its own") {
    const LoopTurns turns = loop();
    LoopSteps steps(turns);
    PathFrames frames(example());
    steps.take(0, 2, frames);
    CHECK(steps.take(0, 3, frames) == Step::begins);
    CHECK(steps.take(1, 5, frames) == Step::none);
    CHECK(steps.take(0, 3, frames) == Step::none);
    CHECK(steps.is_inside());
    steps.end_thread(0);
    CHECK(steps.take(0, 5, frames) == Step::none);
}

TEST_CASE("a loop that is entered deep below a turn begins a step there") {
    LoopTurns turns = loop();
    turns.entries = {5};
    LoopSteps steps(turns);
    PathFrames frames(example());
    steps.take(0, 2, frames);
    CHECK(steps.take(0, 5, frames) == Step::begins);
}

TEST_CASE("acquisitions have a stack by which loops are found, Python's small objects have none") {
    Acquire acquire;
    acquire.stack = 7;
    acquire.api = Api::malloc;
    CHECK(stack_of_acquisition({0, acquire}) == 7);
    acquire.api = Api::PyObject_Malloc;
    REQUIRE(is_object_api(acquire.api));
    CHECK(stack_of_acquisition({0, acquire}) == no_stack);
    CHECK(stack_of_acquisition({0, Release{}}) == no_stack);
    ResizeEnd end;
    end.resize.stack = 9;
    const AnyRecord record = end;
    CHECK(stack_of_acquisition({0, &record}) == 9);
}
