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

TEST_CASE("site_facts: a gradient with a graph is part of a loss, if there are other passes") {
    TrainingStory story;
    const std::string mul =
        "torch::autograd::VariableType::(anonymous namespace)::mul_Tensor(at::Tensor)";
    const std::string grad = "py:grad " + torch_path + "/autograd/__init__.py:400";
    const std::string grad_makes = "py:grad " + torch_path + "/autograd/__init__.py:380";
    const std::string penalty = "py:penalty /home/me/train.py:9";
    const std::string attack = "py:attack /home/me/train.py:19";
    const uint32_t call = story.stack({mul, engine, grad, penalty});
    story.tensor_site(story.stack({"torch::autograd::set_history(at::Tensor)"}, call));
    const uint32_t of_loss =
        story.tensor_site(story.stack({"c10::alloc_cpu(unsigned long)"}, call));
    const uint32_t begin = story.tensor_site({grad_makes, penalty});
    const uint32_t pass = story.tensor_site({mul, engine, grad, attack});
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    CHECK(sites.of(0, of_loss).stage() == TrainingStage::forward);
    CHECK(sites.of(0, begin).stage() == TrainingStage::forward);
    CHECK(sites.of(0, pass).stage() == TrainingStage::backward);
}

TEST_CASE("site_facts: TorchScript goes forward, unless it goes backward") {
    const std::string run = "torch::jit::InterpreterState::run(std::vector<c10::IValue>&)";
    TrainingStory story;
    const uint32_t forward = story.tensor_site({main_frame}, run);
    const uint32_t backward = story.tensor_site({engine, main_frame}, run);
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    CHECK(sites.of(0, forward).stage() == TrainingStage::forward);
    CHECK(sites.of(0, backward).stage() == TrainingStage::backward);
}
