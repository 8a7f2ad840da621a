// SPDX-License-Identifier: Apache-2.0
//
// Optimisers written by hand. Backward passes run from 100 to 120, from 200 to 220 and so on; the
// model has weights of 72,000, 80,000 and 900 bytes.
#include "analyzer/kinds/weight_updates.h"

#include <algorithm>

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
