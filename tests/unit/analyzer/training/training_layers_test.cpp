// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_layers.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string empty_tensor = "at::_ops::empty_memory_format::call(c10::SymInt)";
const std::string node = "torch::autograd::VariableType::(anonymous namespace)::addmm(int)";
const std::string alloc = "c10::alloc_cpu(unsigned long)";
const std::string saved = "torch::autograd::SavedVariable::SavedVariable(at::Tensor)";
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

// Net.forward() calls Blocks in a loop, so that nobody knows how often it is called itself.
// Block.forward() makes so many tensors at each of its lines before the backward pass.
TrainingStory copied_and_forward(const std::vector<uint64_t>& at_lines) {
    TrainingStory story = three_blocks();
    const uint32_t copy = story.tensor_site({main_frame}, "at::_ops::clone::call(at::Tensor)");
    for (uint64_t i = 0; i < 3; ++i) story.life(copy, 30 + i, at_end, 40);
    uint64_t time = 60;
    for (size_t line = 0; line < at_lines.size(); ++line) {
        const std::string at = "py:Block.forward /home/me/net.py:" + std::to_string(61 + line);
        const uint32_t caller = story.stack({at, net_forward, main_frame});
        const uint32_t site = story.tensor_site(story.stack({alloc, node}, caller));
        story.site("host", story.stack({"operator new(unsigned long)", saved, node}, caller), 1,
                   100);
        for (uint64_t i = 0; i < at_lines[line]; ++i) story.life(site, time++, 110);
    }
    return story;
}

TEST_CASE("training_layers: copied layers are not counted, but a copied model does not matter") {
    CHECK(layers_of(copied_and_forward({3})) == "Block 3");
    CHECK(layers_of(copied_and_forward({6})) == "");
}

TEST_CASE("training_layers: a line with two layers of a kind is no second call of forward()") {
    CHECK(layers_of(copied_and_forward({3, 6, 3, 2, 6})) == "Block 3");
    CHECK(layers_of(copied_and_forward({6, 6, 6, 2, 12})) == "");
}

TEST_CASE("training_layers: nothing is counted where blocks were left out") {
    TrainingStory story = three_blocks();
    story.tensors.left_out = 1;
    CHECK(layers_of(story).empty());
}
