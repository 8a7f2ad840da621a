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
    CHECK_THAT(advice[0].before, Contains("1.0 MiB a step") && Contains("in 5 of 5 steps"));
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

TEST_CASE("training_advice: checkpointing is worth it if activations are most of the peak") {
    TrainingStory story = six_steps();
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    story.life(forward, 590, 610, 9 * mib);
    CHECK(rules_of(story).empty());
    story.life(forward, 591, 610, 40 * mib);
    CHECK(rules_of(story) == Rules{"activations-dominate"});
}
