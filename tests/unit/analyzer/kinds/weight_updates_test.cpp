// SPDX-License-Identifier: Apache-2.0
//
// Optimisers written by hand. Backward passes run from 100 to 120, from 200 to 220 and so on; the
// model has weights of 72,000, 80,000 and 900 bytes.
#include "analyzer/kinds/weight_updates.h"

#include <algorithm>
#include <set>

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::vector<uint64_t> sizes{72'000, 80'000, 900};
const std::string train = "py:train /home/me/train.py:30";
const std::string step = "py:Shampoo.step /home/me/shampoo.py:20";

class UpdateStory : public TrainingStory {
public:
    UpdateStory() {
        for (uint64_t run = 100; run <= 500; run += 100) tensors.runs.push_back({run, run + 20});
        const uint32_t module = tensor_site({linear_init, main_frame});
        const uint32_t backward = tensor_site({engine, train, main_frame});
        for (const uint64_t bytes : sizes) life(module, 1, at_end, bytes);
        for (const uint64_t bytes : sizes) life(backward, 105, 150, bytes);
    }

    // The kind of what this stack makes at a moment and keeps into the second pass after it.
    std::string kept(const std::vector<std::string>& functions, uint64_t born) {
        life(tensor_site(functions), born, born + 200, 5'000);
        std::stable_sort(tensors.lives.begin(), tensors.lives.end(),
                         [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
        const std::vector<std::string> all = kinds();
        for (size_t i = 0; i < all.size(); ++i) {
            if (tensors.lives[i].bytes == 5'000 && tensors.lives[i].born == born) return all[i];
        }
        return "";
    }
    // What the function computes on its way: changes of all weights.
    void update(const std::vector<std::string>& functions) {
        const uint32_t site = tensor_site(functions);
        for (const uint64_t bytes : sizes) life(site, 130, 131, bytes);
    }
};

}  // namespace

TEST_CASE("weight_updates: what such a function keeps is its state, whatever its size is") {
    UpdateStory story;
    story.update({step, train, main_frame});
    CHECK(story.kept({"py:root /home/me/shampoo.py:5", step, train, main_frame}, 132) ==
          "optimiser_state");
}

TEST_CASE("weight_updates: so is what other methods of its class keep, in hooks, too") {
    UpdateStory story;
    story.update({step, train, main_frame});
    const std::string hook = "py:Shampoo.keep /home/me/shampoo.py:9";
    CHECK(story.kept({"py:Shampoo.__init__ /home/me/shampoo.py:4", main_frame}, 10) ==
          "optimiser_state");
    CHECK(story.kept({hook, engine, train, main_frame}, 106) == "optimiser_state");
    CHECK(story.kept({hook, net_forward, train, main_frame}, 190) == "optimiser_state");
}

TEST_CASE("weight_updates: a function that changes no weights has no state") {
    UpdateStory story;
    story.tensor_site({net_forward, main_frame});
    CHECK(story.kept({"py:Batches.next /home/me/data.py:5", train, main_frame}, 132) == "input");
    // The loop itself changes them.
    story.update({train, main_frame});
    CHECK(story.kept({"py:Batches.next /home/me/data.py:5", train, main_frame}, 133) == "input");
}

TEST_CASE("weight_updates: what a hook gathers is no gradient if no weight has its size") {
    UpdateStory story;
    CHECK(story.kept({"py:keep /home/me/net.py:9", engine, train, main_frame}, 106) == "temporary");
}

namespace {

const std::string zeros = "at::_ops::zeros_like::call(at::Tensor)";
const std::string grad = "py:grad " + torch_path + "/autograd/__init__.py:400";
const std::string call = "py:functional_call " + torch_path + "/_functorch/functional_call.py:9";

// Kinds of momenta and weights, each made anew in each round by a function of the program, and
// begun with zeros and, if `has_others`, with weights that are there until the end.
std::vector<std::string> renewed(bool is_functional, bool has_others) {
    TrainingStory story;
    for (uint64_t run = 100; run <= 500; run += 100) story.tensors.runs.push_back({run, run + 20});
    const std::string adam_by_hand = "py:update /home/me/train.py:";
    const uint32_t begun = story.tensor_site({main_frame}, zeros);
    const uint32_t momenta = story.tensor_site({adam_by_hand + "20", main_frame});
    const uint32_t made = story.tensor_site({adam_by_hand + "22", main_frame});
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    if (is_functional) story.tensor_site({net_forward, call, main_frame});
    for (const uint64_t bytes : sizes) {
        if (has_others) story.life(module, 1, at_end, bytes);
        story.life(begun, 2, 131, bytes);
    }
    for (uint64_t run = 100; run <= 500; run += 100) {
        const uint32_t backward = story.tensor_site({engine, grad, main_frame});
        for (const uint64_t bytes : sizes) story.life(backward, run + 5, run + 50, bytes);
        for (const uint64_t bytes : sizes) {
            story.life(momenta, run + 30, run == 500 ? at_end : run + 131, bytes);
            if (!has_others || is_functional)
                story.life(made, run + 31, run == 500 ? at_end : run + 140, bytes);
        }
    }
    std::set<std::string> of_momenta, of_made;
    const std::vector<std::string> all = story.kinds();
    for (size_t i = 0; i < all.size(); ++i) {
        if (story.tensors.lives[i].site == momenta) of_momenta.insert(all[i]);
        if (story.tensors.lives[i].site == made) of_made.insert(all[i]);
    }
    std::vector<std::string> found(of_momenta.begin(), of_momenta.end());
    found.insert(found.end(), of_made.begin(), of_made.end());
    return found;
}

}  // namespace

TEST_CASE("weight_updates: of what each round makes anew, the weights are made last") {
    CHECK(renewed(false, false) == std::vector<std::string>{"optimiser_state", "parameter"});
    CHECK(renewed(true, true) == std::vector<std::string>{"optimiser_state", "parameter"});
    // The weights of the modules are changed in place.
    CHECK(renewed(false, true) == std::vector<std::string>{"optimiser_state"});
}
