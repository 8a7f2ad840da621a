// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_reason.h"

#include "analyzer/growth/growth_replaced.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

constexpr uint64_t second = 1'000'000'000;

Verdict decided(GrowthReason reason, const RunFacts& run, const GrowthTime& time) {
    Judgement judgement;
    judgement.verdict = Verdict::leak;
    decide(judgement, reason, run, time);
    return judgement.verdict;
}

RunFacts run_of(uint64_t work_end_ns) {
    RunFacts run;
    run.has_ended = true;
    run.work_end_ns = work_end_ns;
    return run;
}

}  // namespace

TEST_CASE("what became of the blocks is told by how many are alive at the end") {
    RunFacts run = run_of(0);
    CHECK(reason_of(run, {100, 95}) == GrowthReason::not_freed);
    CHECK(reason_of(run, {100, 50}) == GrowthReason::unknown);
    const auto held = [](double blocks) { return GrownBlocks{100, 0, 0, blocks}; };
    CHECK(reason_of(run, held(100)) == GrowthReason::freed_at_exit);
    CHECK(reason_of(run, held(50)) == GrowthReason::unknown);  // some of them before
    // Threads free what they took, all but a few blocks.
    CHECK(reason_of(run, {255, 12, 0, 12}) == GrowthReason::freed_in_work);
    CHECK(word_of(GrowthReason::freed_in_work) == "freed_in_work");
    run.is_python = true;
    CHECK(reason_of(run, held(100)) == GrowthReason::freed_when_python_ended);
    CHECK(reason_of(run, held(50)) == GrowthReason::unknown);
    CHECK(reason_of(run, held(0)) == GrowthReason::freed_in_work);  // a local of main()
    run.has_ended = false;
    CHECK(reason_of(run, {100, 100}) == GrowthReason::unknown);
    CHECK(reason_of(run, {100, 100, 95}) == GrowthReason::lost);
    CHECK(reason_of(run, {100, 100, 50}) == GrowthReason::unknown);
    CHECK(word_of(GrowthReason::lost) == "lost");
    CHECK(word_of(GrowthReason::not_freed) == "not_freed");
    CHECK(sentence_of(GrowthReason::unknown).empty());
}

TEST_CASE("growth to the end is a leak if there is a reason, and else may be data") {
    const GrowthTime time{0, 10 * second, 500};
    RunFacts run = run_of(10 * second);
    CHECK(decided(GrowthReason::not_freed, run, time) == Verdict::leak);
    CHECK(decided(GrowthReason::freed_at_exit, run, time) == Verdict::growing);
    CHECK(decided(GrowthReason::unknown, run, time) == Verdict::growing);
    run.is_marked = true;
    CHECK(decided(GrowthReason::freed_at_exit, run, time) == Verdict::leak);
    run.is_marked = false;
    run.does_known_steps = true;
    CHECK(decided(GrowthReason::freed_when_python_ended, run, time) == Verdict::leak);
}

TEST_CASE("a short run without steps accuses nobody") {
    const RunFacts run = run_of(second / 3);
    CHECK(decided(GrowthReason::not_freed, run, {0, second / 3, 0}) == Verdict::growing);
    CHECK(decided(GrowthReason::not_freed, run, {0, second / 3, 500}) == Verdict::leak);
    // Nobody can free what nothing points to.
    CHECK(decided(GrowthReason::lost, run, {0, second / 3, 0}) == Verdict::leak);
    CHECK(decided(GrowthReason::not_freed, run_of(second), {0, second, 0}) == Verdict::leak);
    // What Python does not free in the end is no data of the program's.
    RunFacts python = run;
    python.is_python = true;
    CHECK(decided(GrowthReason::not_freed, python, {0, second / 3, 0}) == Verdict::leak);
    CHECK(decided(GrowthReason::unknown, python, {0, second / 3, 0}) == Verdict::growing);
}

TEST_CASE("growth that has lasted long is a leak, whatever became of it") {
    CHECK(decided(GrowthReason::freed_at_exit, run_of(3600 * second), {0, 3600 * second, 500}) ==
          Verdict::leak);
    CHECK(decided(GrowthReason::freed_at_exit, run_of(3600 * second), {0, 3600 * second, 50}) ==
          Verdict::growing);
}

TEST_CASE("a loop that ended while the program went on has loaded data") {
    CHECK(decided(GrowthReason::not_freed, run_of(20 * second), {0, 10 * second, 500}) ==
          Verdict::loaded);
    CHECK(decided(GrowthReason::not_freed, run_of(10 * second + second / 5),
                  {0, 10 * second, 500}) == Verdict::leak);
    // It may be a cache that is full now.
    CHECK(decided(GrowthReason::not_freed, run_of(11 * second), {0, 10 * second, 500}) ==
          Verdict::growing);
    RunFacts run = run_of(20 * second);
    run.does_known_steps = true;
    CHECK(decided(GrowthReason::not_freed, run, {0, 10 * second, 500}) == Verdict::leak);
}

TEST_CASE("a pause at the end is no end if there were such pauses before") {
    const GrowthTime paused{0, 10 * second, 12, 2 * second};
    CHECK(decided(GrowthReason::not_freed, run_of(13 * second), paused) == Verdict::growing);
    CHECK(decided(GrowthReason::not_freed, run_of(15 * second), paused) == Verdict::loaded);
}

TEST_CASE("a process that ended without its exit handlers says nothing of what it held") {
    Model model;
    model.process.end = "exit 0";
    CHECK_FALSE(facts_of_run(model).has_ended);
    model.process.work_end_ns = 5;
    CHECK(facts_of_run(model).has_ended);
    model.process.end = "signal 9";
    CHECK_FALSE(facts_of_run(model).has_ended);
}

TEST_CASE("growth that was over early, and nothing after it, may be of a program that waits") {
    const RunFacts run = run_of(10 * second);
    GrowthTime time{0, 2 * second, 500};
    CHECK(decided(GrowthReason::not_freed, run, time) == Verdict::loaded);
    time.is_quiet_after = true;
    CHECK(decided(GrowthReason::not_freed, run, time) == Verdict::growing);
    time.end_ns = 10 * second;
    CHECK(decided(GrowthReason::not_freed, run, time) == Verdict::leak);
}

namespace {

// A leak, as it seems, in the memory of a device, at stacks through this module.
GrowthFinding segments_of(Story& story, const std::string& module) {
    const uint32_t stack = story.stack({"cudaMalloc", "train app.py:3"});
    story.recording.model.stacks.modules[7].path = module;
    story.change_node(stack, [](StackNode& node) {
        node.kind = NodeKind::native;
        node.module = 7;
    });
    story.recording.model.stacks.nodes = story.recording.symbols.nodes;
    story.site("device:0", stack, 50, 2 << 20, 50);
    GrowthFinding finding;
    finding.space = "device:0";
    finding.verdict = Verdict::leak;
    finding.confidence = 0.99;
    finding.parts = {{stack, 1}};
    return finding;
}

}  // namespace

TEST_CASE("segments that PyTorch's allocator keeps are not accused where its tensors are known") {
    Story story;
    GrowthFinding finding = segments_of(story, "/v/torch/lib/libc10_cuda.so");
    excuse(finding, story.recording);
    CHECK(finding.verdict == Verdict::leak);  // nobody knows what is in use
    story.site("tensors:cuda:1", 1, 3, 100);
    excuse(finding, story.recording);
    CHECK(finding.verdict == Verdict::leak);  // of another device
    story.site("tensors:cuda:0", 1, 3, 100);
    excuse(finding, story.recording);
    CHECK(finding.verdict == Verdict::growing);
    CHECK(finding.confidence == 0.5);
    CHECK_THAT(finding.why, Catch::Contains("tensors:cuda:0 says what is in use"));
}

TEST_CASE("what a program takes of a device beside PyTorch's allocator may be a leak") {
    Story story;
    GrowthFinding finding = segments_of(story, "/home/me/libkernels.so");
    story.site("tensors:cuda:0", 1, 3, 100);
    excuse(finding, story.recording);
    CHECK(finding.verdict == Verdict::leak);
}

TEST_CASE("a cache with a bound is told by each stack, if what they have in common is outside") {
    Story story;
    const std::vector<std::string> train{"backward app.py:9", "main app.py:20"};
    const auto part = [&](std::vector<std::string> frames) {
        frames.insert(frames.end(), train.begin(), train.end());
        return GrowthPart{story.stack(frames), 0.5};
    };
    const std::string recorder = "c10d::FlightRecorder<c10::Event>::recordWithResetEnabled(int)";
    GrowthFinding finding;
    finding.space = "host";
    finding.verdict = Verdict::leak;
    finding.parts = {part({"torch::CapturedTraceback::gather(bool)", recorder}),
                     part({"torch::PythonTraceback::gather()", recorder})};
    GrowthFinding mixed = finding;
    mixed.parts.push_back(part({"keep app.cpp:3"}));
    excuse(finding, story.recording);
    CHECK(finding.verdict == Verdict::bounded);
    excuse(mixed, story.recording);
    CHECK(mixed.verdict == Verdict::leak);
}
