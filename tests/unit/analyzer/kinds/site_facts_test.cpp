// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/site_facts.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

SiteFacts facts_of(const std::vector<std::string>& functions) {
    TrainingStory story;
    const uint32_t site = story.tensor_site(functions);
    return TrainingSites(story.recording.model, story.recording.symbols).of(0, site);
}

}  // namespace

TEST_CASE("site_facts: the innermost known function says what the code does") {
    CHECK(facts_of({adam, main_frame}).stage() == TrainingStage::optimiser);
    CHECK(facts_of({net_forward, adam, main_frame}).stage() == TrainingStage::forward);
    CHECK(facts_of({engine, main_frame}).stage() == TrainingStage::backward);
    CHECK(facts_of({net_forward, engine, main_frame}).stage() == TrainingStage::backward);
    CHECK(facts_of({"py:forward /home/me/net.py:20"}).stage() == TrainingStage::forward);
    CHECK(facts_of({main_frame}).stage() == TrainingStage::none);
    CHECK(facts_of({"py:go_forward /home/me/net.py:20"}).stage() == TrainingStage::none);
}

TEST_CASE("site_facts: only what the allocator of tensors hands out is a tensor") {
    Story story;
    story.site("host", story.stack({"libc:malloc", main_frame}), 1, 100);
    story.space("host").numbers = {0};
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    CHECK_FALSE(sites.has_tensors());
    CHECK(sites.of(0, 0).has_python);
    CHECK_FALSE(sites.of(0, 7).is_tensor);  // no such site
    CHECK_FALSE(sites.of(3, 0).is_tensor);  // no such space
}

TEST_CASE("site_facts: all of a caching allocator's blocks are tensors") {
    Story story;
    story.site("tensors:0", story.stack({"libc:start", main_frame}), 1, 100);
    story.space("tensors:0").numbers = {0};
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    CHECK(sites.has_tensors());
    const TensorRequest request = sites.request(story.recording.model);
    REQUIRE(request.sites.at("tensors:0").size() == 1);
    CHECK(request.sites.at("tensors:0")[0].is_tensor);
}
