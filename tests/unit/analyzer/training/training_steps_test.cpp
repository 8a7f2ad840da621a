// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_steps.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

SourceLoop loop(uint64_t count, uint64_t begin, uint64_t end) {
    SourceLoop found;
    found.count = count;
    found.begin_ns = begin;
    found.end_ns = end;
    return found;
}

const std::vector<BackwardRun> four_runs = {{100, 120}, {200, 220}, {300, 320}, {400, 420}};

constexpr auto activation = static_cast<size_t>(TrainingKind::activation);

}  // namespace

TEST_CASE("training_steps: the loop that goes backward in each round") {
    SourceLoops loops;
    loops.loops = {loop(2, 80, 380),   // epochs
                   loop(4, 80, 380),   // batches
                   loop(40, 80, 410),  // parameters, in each step
                   loop(4, 10, 40)};   // layers that are made
    CHECK(training_loop(loops, four_runs) == 1u);
    loops.loops.resize(1);
    CHECK_FALSE(training_loop(loops, four_runs).has_value());
    CHECK_FALSE(training_loop(loops, {}).has_value());
}

TEST_CASE("training_steps: a loop without a backward pass inside has no steps") {
    SourceLoops loops;
    loops.loops = {loop(4, 80, 380), loop(3, 90, 410)};
    loops.loops[0].file = loops.loops[1].file = "train.py";
    loops.loops[0].line = 10;
    loops.loops[1].line = 40;
    CHECK(training_loop(loops_at(loops, {{"train.py", 10}}), four_runs) == 0u);
    CHECK(training_loop(loops_at(loops, {{"train.py", 40}}), four_runs) == 1u);
    CHECK_FALSE(training_loop(loops_at(loops, {{"other.py", 10}}), four_runs).has_value());
}

TEST_CASE("training_steps: a round may go backward several times") {
    std::vector<BackwardRun> runs;
    for (uint64_t round = 1; round <= 4; ++round) {
        for (uint64_t task = 0; task < 5; ++task)
            runs.push_back({round * 100 + task * 10, round * 100 + task * 10 + 5});
    }
    SourceLoops loops;
    loops.loops = {loop(4, 80, 380)};
    CHECK(training_loop(loops, runs) == 0u);
    loops.loops = {loop(4, 80, 280)};  // It was over before the last round.
    CHECK_FALSE(training_loop(loops, runs).has_value());
}

TEST_CASE("training_steps: passes that the optimiser does not learn from are a part of a step") {
    std::vector<BackwardRun> runs;
    for (uint64_t round = 1; round <= 4; ++round) {
        for (uint64_t slide = 0; slide < 5; ++slide)
            runs.push_back({round * 100 + slide * 10, round * 100 + slide * 10 + 5});
        runs.back().is_learned = true;
    }
    SourceLoops loops;
    loops.loops = {loop(4, 80, 380), loop(16, 90, 435)};
    CHECK(training_loop(loops, runs) == 0u);
    for (BackwardRun& run : runs) run.is_learned = true;  // It learns from each of them.
    CHECK(training_loop(loops, runs) == 1u);
    for (BackwardRun& run : runs) run.is_learned = false;  // Nobody saw it learn.
    CHECK(training_loop(loops, runs) == 1u);
}

TEST_CASE("training_steps: the first rounds of a loop may warm up, without a pass") {
    SourceLoops loops;
    loops.loops = {loop(6, 10, 380)};
    loops.loops[0].entries = 1;
    CHECK(training_loop(loops, four_runs) == 0u);
    loops.loops[0].entries = 4;  // It is inside of a step.
    CHECK_FALSE(training_loop(loops, four_runs).has_value());
    loops.loops = {loop(6, 150, 380)};  // It begins after the first pass.
    CHECK_FALSE(training_loop(loops, four_runs).has_value());
    loops.loops = {loop(8, 10, 380)};  // Half of its rounds have a pass.
    CHECK_FALSE(training_loop(loops, four_runs).has_value());
}

TEST_CASE("training_steps: a loop may go backward for a part of the training") {
    std::vector<BackwardRun> runs;
    for (uint64_t run = 1; run <= 10; ++run) runs.push_back({run * 100, run * 100 + 20});
    SourceLoops loops;
    loops.loops = {loop(4, 80, 380),  // A closure goes on after it.
                   loop(3, 480, 980)};
    CHECK_FALSE(training_loop(loops, runs).has_value());
    CHECK(loop_of_part(loops, runs) == 0u);
    loops.loops = {loop(30, 80, 380),  // parameters
                   loop(3, 80, 280)};  // less than a third of the passes
    CHECK(loop_of_part(loops, runs) == std::nullopt);
}

TEST_CASE("training_steps: marks of one name are steps") {
    TensorLives tensors;
    tensors.runs = four_runs;
    for (uint64_t step = 1; step <= 4; ++step) {
        tensors.marks.push_back({"step " + std::to_string(step), step * 100 - 20});
    }
    const TrainingSteps steps = marked_steps(tensors);
    CHECK(steps.name == "step #");
    CHECK(steps.count() == 3);  // nothing tells where the last one ends
    CHECK(steps.number_at(79) == 0);
    CHECK(steps.number_at(80) == 1);
    CHECK(steps.number_at(285) == 3);
    CHECK(steps.number_at(380) == 0);
    tensors.marks.resize(2);
    CHECK(marked_steps(tensors).count() == 0);
}

TEST_CASE("training_steps: what a step holds at its end, makes and gives back") {
    TrainingStory story;
    const TrainingSteps steps{"train.py:40", {0, 100, 200, 300}, 400, "", false};
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    for (uint64_t step = 0; step < 4; ++step) {
        story.life(forward, step * 100 + 10, at_end, 1 << 20);
        story.life(forward, step * 100 + 20, step * 100 + 50, 500);
    }
    const TrainingKinds kinds{{0}, std::vector(8, TrainingKind::activation), {}};
    const StepTable table = step_table(story.tensors, kinds, steps, 0);
    REQUIRE(table.rows.size() == 4);
    CHECK(table.rows[1].step == 2);
    CHECK(table.rows[1].at_end[activation] == 2 << 20);
    CHECK(table.rows[1].most == (2 << 20) + 500);
    CHECK(table.rows[1].made == (1 << 20) + 500);
    CHECK(table.rows[1].released == 500);
    REQUIRE(table.grown.size() == 1);
    CHECK(table.grown[0].bytes == 2 << 20);
    CHECK(table.grown[0].each_step == 1 << 20);
}

TEST_CASE("training_steps: what grows once does not grow") {
    TrainingStory story;
    const TrainingSteps steps{"train.py:40", {0, 100, 200, 300}, 400, "", false};
    story.life(story.tensor_site({net_forward, main_frame}), 210, at_end, 1 << 20);
    const StepTable table =
        step_table(story.tensors, {{0}, {TrainingKind::activation}, {}}, steps, 0);
    CHECK(table.grown.empty());
}

TEST_CASE("training_steps: backward passes stand for steps that are not known") {
    const TrainingSteps steps = passes_as_steps(four_runs, "no loop");
    CHECK(steps.count() == 4);
    CHECK(steps.are_passes);
    CHECK(steps.end_of(1) == 220);
    CHECK(steps.number_at(310) == 3);
}
