// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_layers.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string empty_tensor = "at::_ops::empty_memory_format::call(c10::SymInt)";
const std::string node = "torch::autograd::VariableType::(anonymous namespace)::addmm(int)";
// Block has one line in a loop of its own, 50, and Net makes Blocks in a loop.
const std::string block_init = "py:Block.__init__ /home/me/net.py:40";
const std::string block_loop = "py:Block.__init__ /home/me/net.py:50";
const std::string net_loop = "py:Net.__init__ /home/me/net.py:9";
const std::string block_forward = "py:Block.forward /home/me/net.py:60";

bool may_repeat(const Frame& frame) { return frame.line == 50 || frame.line == 9; }

// Returns "Block 3, Net 1"; classes whose number is not known are left out.
std::string layers_of(const TrainingStory& story, uint64_t time = 50) {
    const TrainingModules modules(story.recording.model, story.recording.symbols);
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    const std::vector<uint64_t> layers =
        count_layers(story.recording.model, story.recording.symbols, story.tensors, {0}, sites,
                     modules, time, may_repeat);
    std::string text;
    for (size_t i = 0; i < layers.size(); ++i) {
        if (layers[i] == 0) continue;
        text += (text.empty() ? "" : ", ") + modules.classes()[i].name + " " +
                std::to_string(layers[i]);
    }
    return text;
}

// Three Blocks, with two tensors of a loop each; and Net.
TrainingStory three_blocks(uint64_t until = at_end) {
    TrainingStory story;
    story.tensor_site({block_forward, net_forward, main_frame}, node);
    const uint32_t once =
        story.tensor_site({linear_init, block_init, net_loop, main_frame}, empty_tensor);
    const uint32_t twice =
        story.tensor_site({linear_init, block_loop, net_loop, main_frame}, empty_tensor);
    const uint32_t head = story.tensor_site({linear_init, net_init, main_frame}, empty_tensor);
    for (uint64_t block = 0; block < 3; ++block) {
        story.life(once, 1 + 3 * block, until, 40);
        story.life(twice, 2 + 3 * block, until, 40);
        story.life(twice, 3 + 3 * block, until, 40);
    }
    story.life(head, 20, until, 40);
    story.tensors.runs = {{100, 120}};
    return story;
}

}  // namespace

TEST_CASE("training_layers: a line that is in no loop counts its class, and none around a loop") {
    CHECK(layers_of(three_blocks()) == "Net 1, Block 3");
}

TEST_CASE("training_layers: layers that are made at two lines are added up") {
    TrainingStory story = three_blocks();
    const uint32_t other =
        story.tensor_site({linear_init, block_init, net_init, main_frame}, empty_tensor);
    story.life(other, 30, at_end, 40);
    CHECK(layers_of(story) == "Net 1, Block 4");
}

TEST_CASE("training_layers: layers that moved to a device are those that were there at once") {
    CHECK(layers_of(three_blocks(40)) == "Net 1, Block 3");
    TrainingStory one_by_one;
    const uint32_t made = one_by_one.tensor_site({linear_init, net_init, main_frame}, empty_tensor);
    one_by_one.tensor_site({net_forward, main_frame});
    one_by_one.life(made, 1, 2);
    one_by_one.life(made, 3, 4);
    CHECK(layers_of(one_by_one).empty());
}

TEST_CASE("training_layers: of a model that is made anew, those that are there count") {
    TrainingStory story = three_blocks(40);
    story.life(1, 45, at_end, 40);
    CHECK(layers_of(story) == "Net 1, Block 1");
}

TEST_CASE("training_layers: copied layers are not counted, but a copied model does not matter") {
    TrainingStory story = three_blocks();
    const uint32_t copy = story.tensor_site({main_frame}, "at::_ops::clone::call(at::Tensor)");
    const uint32_t forward = 0;
    for (uint64_t i = 0; i < 3; ++i) story.life(copy, 30 + i, at_end, 40);
    for (uint64_t i = 0; i < 3; ++i) story.life(forward, 60 + i, 110);
    story.site("host",
               story.stack({"operator new(unsigned long)", "torch::autograd::Node", node,
                            block_forward, net_forward, main_frame}),
               1, 100);
    CHECK(layers_of(story) == "Net 1, Block 3");
}

TEST_CASE("training_layers: nothing is counted where blocks were left out") {
    TrainingStory story = three_blocks();
    story.tensors.left_out = 1;
    CHECK(layers_of(story).empty());
}
