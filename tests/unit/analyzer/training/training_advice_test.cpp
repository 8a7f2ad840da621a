// SPDX-License-Identifier: Apache-2.0
//
// What is advised, and what must not be. Backward passes begin each 100, and last for 20.
#include "analyzer/training/training_advice.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr uint64_t mib = 1 << 20;

TrainingStory six_steps() {
    TrainingStory story;
    story.peak_time_ns = 595;
    story.peak_bytes = 100 * mib;
    for (uint64_t run = 1; run <= 6; ++run)
        story.tensors.runs.push_back({run * 100, run * 100 + 20});
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 10 * mib);
    return story;
}

std::vector<std::string> rules_of(const TrainingStory& story) {
    std::vector<std::string> rules;
    for (const TrainingAdvice& advice : story.report().advice) rules.emplace_back(advice.rule);
    return rules;
}

using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("training_advice: outputs that stay in each step are kept with their graph") {
    TrainingStory story = six_steps();
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    for (uint64_t step = 1; step <= 6; ++step) story.life(forward, step * 100 - 10, at_end, mib);
    const std::vector<TrainingAdvice> advice = story.report().advice;
    REQUIRE(advice.size() == 1);
    CHECK(advice[0].rule == "loss-graph-kept");
    CHECK_THAT(advice[0].before,
               Contains("1.0 MiB a step") && Contains("2 backward passes later, in 4 of 4"));
    CHECK_THAT(advice[0].before, Contains("4.0 MiB at the peak"));
    REQUIRE(advice[0].row);
    CHECK_THAT(SiteRows(story.recording).text(*advice[0].row, 80), Contains("net.py:20"));
}

TEST_CASE("training_advice: outputs that go with their backward pass are as they should be") {
    TrainingStory story = six_steps();
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    for (uint64_t step = 1; step <= 6; ++step) {
        story.life(forward, step * 100 - 10, step * 100 + 50, mib);
        story.life(forward, step * 100 - 9, at_end, 4);  // a loss without its graph
    }
    CHECK(rules_of(story).empty());
}

TEST_CASE("training_advice: gradients that are zeroed stay, and those of accumulation go") {
    TrainingStory story = six_steps();
    const uint32_t backward = story.tensor_site({engine, main_frame});
    story.life(backward, 110, 350, 10 * mib);
    CHECK(rules_of(story).empty());
    story.life(backward, 111, at_end, 10 * mib);
    CHECK(rules_of(story) == Rules{"gradients-zeroed"});
}

TEST_CASE("training_advice: what hooks gather in the backward pass is no gradient that is zeroed") {
    TrainingStory story = six_steps();
    const uint32_t backward = story.tensor_site({engine, main_frame});
    for (int factor = 0; factor < 3; ++factor) story.life(backward, 110, at_end, 4 * mib);
    CHECK(rules_of(story).empty());
    // The gradients of the whole model in one tensor.
    story.life(backward, 111, at_end, 9 * mib);
    CHECK(rules_of(story) == Rules{"gradients-zeroed"});
}

TEST_CASE("training_advice: checkpointing is worth it if activations are most of the peak") {
    TrainingStory story = six_steps();
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    story.life(forward, 590, 610, 9 * mib);
    CHECK(rules_of(story).empty());
    story.life(forward, 591, 610, 40 * mib);
    CHECK(rules_of(story) == Rules{"activations-dominate"});
}

TEST_CASE("training_advice: two networks may train in one step") {
    TrainingStory story = six_steps();
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    // The first network's output is there until the second one has gone backward.
    for (uint64_t step = 1; step <= 6; step += 2) {
        story.life(forward, step * 100 - 10, step * 100 + 180, mib);
    }
    CHECK(rules_of(story).empty());
    story.steps = {"train.py:40", {50, 250, 450}, 650, "", false};
    CHECK(rules_of(story).empty());
}

TEST_CASE("training_advice: nodes of the graph alone are enough to tell that it is kept") {
    TrainingStory story = six_steps();
    story.site("host",
               story.stack({"operator new(unsigned long)",
                            "torch::autograd::VariableType::(anonymous namespace)::addmm(int)",
                            net_forward, main_frame}),
               1, 100);
    story.space("host").numbers.push_back(1);
    for (uint64_t step = 1; step <= 6; ++step) {
        story.tensors.others.push_back(
            {.born = step * 100 - 10, .died = at_end, .bytes = 300, .site = 1});
    }
    const std::vector<TrainingAdvice> advice = story.report().advice;
    REQUIRE(advice.size() == 1);
    CHECK(advice[0].rule == "loss-graph-kept");
    CHECK_THAT(advice[0].before, Contains("Nodes of the graph, 300 B a step"));
}

TEST_CASE("training_advice: a table of hooks that grows in several steps") {
    TrainingStory story = six_steps();
    const std::string hook =
        "py:Module.register_forward_hook " + torch_path + "/nn/modules/module.py:1745";
    story.site("host", story.stack({hook, main_frame}), 1, 100);
    story.space("host").numbers.push_back(1);
    const auto table = [&](uint64_t born, uint64_t bytes) {
        story.tensors.others.push_back({.born = born, .died = at_end, .bytes = bytes, .site = 1});
    };
    table(50, 600);  // before the first step
    table(150, 1200);
    CHECK(rules_of(story).empty());
    table(350, 2400);
    CHECK(rules_of(story) == Rules{"hooks-registered-each-step"});
}

TEST_CASE("training_advice: the first step of an optimiser makes its state") {
    TrainingStory story = six_steps();
    const uint32_t state = story.tensor_site({adam, main_frame});
    story.life(state, 50, at_end, 20 * mib);  // made with the optimiser
    CHECK(rules_of(story).empty());
    story.life(state, 130, at_end, 20 * mib);
    CHECK(rules_of(story) == Rules{"optimiser-state-at-first-step"});
}

TEST_CASE("training_advice: the first step may come after several backward passes") {
    TrainingStory story = six_steps();
    const uint32_t state = story.tensor_site({adam, main_frame});
    story.life(state, 330, at_end, 20 * mib);
    CHECK(rules_of(story) == Rules{"optimiser-state-at-first-step"});
    story.life(state, 50, at_end, 30 * mib);  // Most of it was made with the optimiser.
    CHECK(rules_of(story).empty());
}

namespace {

// PyTorch's segments on a device of 100 MiB at its peak, of which this much is no tensor.
GpuDeviceInfo device_with(uint64_t cached, uint64_t fragmented, uint64_t pieces) {
    GpuDeviceInfo device;
    device.had_tensors = true;
    device.at_peak.segments = 100 * mib;
    device.at_peak.cached = cached;
    device.at_peak.tensors = 100 * mib - cached - fragmented;
    device.at_peak.holes = pieces;
    device.at_peak.largest_hole = 7 * mib;
    return device;
}

Rules rules_on(const GpuDeviceInfo& device) {
    TrainingStory story = six_steps();
    story.recording.model.gpu.devices = {device};
    return rules_of(story);
}

}  // namespace

TEST_CASE("training_advice: segments with much free between their tensors are fragmented") {
    TrainingStory story = six_steps();
    story.recording.model.gpu.devices = {device_with(0, 40 * mib, 812)};
    const std::vector<TrainingAdvice> advice = story.report().advice;
    REQUIRE(advice.size() == 1);
    CHECK(advice[0].rule == "segments-fragmented");
    CHECK(advice[0].bytes == 40 * mib);
    CHECK_THAT(advice[0].before, Contains("40.0 MiB of PyTorch's segments (100.0 MiB)") &&
                                     Contains("812 pieces, the largest of 7.0 MiB"));
}

TEST_CASE("training_advice: so are those that are free as a whole, if they are most") {
    TrainingStory story = six_steps();
    story.recording.model.gpu.devices = {device_with(50 * mib, 8 * mib, 20)};
    const std::vector<TrainingAdvice> advice = story.report().advice;
    REQUIRE(advice.size() == 1);
    CHECK(advice[0].rule == "segments-fragmented");
    CHECK_THAT(advice[0].before, Contains("58.0 MiB of PyTorch's segments (100.0 MiB) are free, "
                                          "50.0 MiB of it in whole segments"));
}

TEST_CASE("training_advice: what is free for other reasons is not fragmented") {
    CHECK(rules_on(device_with(40 * mib, 0, 812)).empty());         // whole segments, not half
    CHECK(rules_on(device_with(0, 19 * mib, 812)).empty());         // less than a fifth
    CHECK(rules_on(device_with(0, 40 * mib, 1)).empty());           // one piece
    CHECK(rules_on(device_with(30 * mib, 15 * mib, 812)).empty());  // little, as it always is
    GpuDeviceInfo others = device_with(0, 40 * mib, 812);
    others.had_tensors = false;  // of a program without PyTorch
    CHECK(rules_on(others).empty());
}
