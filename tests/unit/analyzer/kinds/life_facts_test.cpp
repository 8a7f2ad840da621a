// SPDX-License-Identifier: Apache-2.0
//
// Backward passes run from 100 to 120 and from 200 to 220.
#include "analyzer/kinds/life_facts.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr uint64_t mib = 1 << 20;

// Bytes of the lives as the rules see them.
std::vector<uint64_t> sizes_of(const TrainingStory& story) {
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    const std::vector<size_t> spaces{0};
    const LifeFacts facts(story.tensors, sites, spaces);
    std::vector<uint64_t> sizes;
    for (const TensorLife& life : facts.all()) sizes.push_back(life.bytes);
    return sizes;
}

}  // namespace

TEST_CASE("life_facts: a life is held beside the runs of the backward pass") {
    TrainingStory story;
    story.tensors.runs = {{100, 120}, {200, 220}};
    story.life(story.tensor_site({linear_init, main_frame}), 1, 150);
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    const std::vector<size_t> spaces{0};
    const LifeFacts facts(story.tensors, sites, spaces);
    const TensorLife& life = facts.all().front();
    CHECK(facts.run_at(99) == -1);
    CHECK(facts.run_at(100) == 0);
    CHECK(facts.run_at(199) == 0);
    CHECK(facts.is_in(0, 119));
    CHECK_FALSE(facts.is_in(0, 120));
    CHECK_FALSE(facts.is_in(-1, 10));
    CHECK(facts.lives_into_next_run(life, -1));
    CHECK_FALSE(facts.lives_into_next_run(life, -1, 2));
    CHECK_FALSE(facts.stays(life, -1));
    CHECK(facts.stays({.born = 130, .died = 210}, 0));  // there is no later run
    CHECK(facts.outlives(life, 0));
    CHECK(LifeFacts::is_made_by_module(facts.facts(life)));
    CHECK_FALSE(facts.is_like_state(life));
}

TEST_CASE("life_facts: a gradient in a larger block has the size of its parameter") {
    TrainingStory story;
    story.tensors.spaces = {"tensors:0"};
    story.tensors.runs = {{100, 120}, {200, 220}};
    const uint32_t gradients = story.tensor_site({engine, main_frame});
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 3 * mib);
    story.life(gradients, 105, 150, 3 * mib + mib / 2);
    story.life(gradients, 106, 150, 5 * mib);            // too much more
    story.life(gradients, 107, 110, 3 * mib + mib / 2);  // a temporary of the pass
    story.life(gradients, 108, 110, 3 * mib + mib / 4);  // little more
    const std::vector<uint64_t> sizes{3 * mib, 3 * mib, 5 * mib, 3 * mib + mib / 2, 3 * mib};
    CHECK(sizes_of(story) == sizes);

    story.tensors.spaces = {"host"};  // where each block is what was asked for
    CHECK(sizes_of(story)[1] == 3 * mib + mib / 2);
}

TEST_CASE("life_facts: a larger block once in a while is what the site usually asks for") {
    TrainingStory story;
    story.tensors.spaces = {"tensors:0"};
    for (uint64_t run = 1; run <= 6; ++run)
        story.tensors.runs.push_back({run * 100, run * 100 + 20});
    const uint32_t usual = story.tensor_site({net_forward, main_frame});
    const uint32_t layers = story.tensor_site({net_forward, "py:<module> /home/me/train.py:41"});
    for (uint64_t run = 1; run <= 6; ++run) {
        story.life(usual, run * 100 - 40, run * 100 + 10, 2 * mib + (run == 4 ? mib / 2 : 0));
        // Layers of two sizes take the same place of the code.
        for (int i = 0; i < 3; ++i) story.life(layers, run * 100 - 30, run * 100 + 9, 2 * mib);
        story.life(layers, run * 100 - 20, run * 100 + 8, 2 * mib + mib / 2);
    }
    std::vector<uint64_t> sizes;
    for (uint64_t run = 1; run <= 6; ++run)
        sizes.insert(sizes.end(), {2 * mib, 2 * mib, 2 * mib, 2 * mib, 2 * mib + mib / 2});
    CHECK(sizes_of(story) == sizes);
}

TEST_CASE("life_facts: large sizes that differ by what may be left over count as the same") {
    TrainingStory story;
    story.tensors.spaces = {"tensors:0"};
    story.tensors.runs = {{100, 120}, {200, 220}};
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 12 * mib);
    const uint32_t copies = story.tensor_site({main_frame});
    story.life(copies, 130, at_end, 12 * mib - mib / 2);
    story.life(copies, 131, at_end, 12 * mib + mib / 2);
    story.life(copies, 132, at_end, 12 * mib + mib / 2 + 512);
    const uint64_t same = 12 * mib - mib / 2;
    const std::vector<uint64_t> sizes{same, same, same, 12 * mib + mib / 2 + 512};
    CHECK(sizes_of(story) == sizes);
}

TEST_CASE("life_facts: what goes with the graph that a pass kept does not outlive the pass") {
    const std::string grad = "py:grad " + torch_path + "/autograd/__init__.py:400";
    for (const uint64_t released : {115, 122}) {
        TrainingStory story;
        story.tensors.runs = {{100, 120}, {200, 220}};
        const uint32_t backward = story.tensor_site({engine, grad, main_frame});
        story.life(story.tensor_site({net_forward, main_frame}), 90, released);
        story.life(backward, 105, 121);
        story.life(backward, 106, 150);
        story.life(story.tensor_site({main_frame}), 130, 131);
        CHECK(story.kinds() == std::vector<std::string>{"activation",
                                                        released == 122 ? "autograd" : "gradient",
                                                        "gradient", "temporary"});
    }
}
