// SPDX-License-Identifier: Apache-2.0
//
// What sizes tell. Backward passes run from 100 to 120, from 200 to 220 and so on.
#include "analyzer/kinds/learned_sizes.h"

#include <algorithm>

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Words = std::vector<std::string>;

const std::string zeros = "at::_ops::zeros_like::call(at::Tensor)";
const std::string grad = "py:grad " + torch_path + "/autograd/__init__.py:400";

class SizesStory : public TrainingStory {
public:
    explicit SizesStory(uint64_t runs = 5) {
        for (uint64_t run = 1; run <= runs; ++run)
            tensors.runs.push_back({run * 100, run * 100 + 20});
        for (uint64_t round = 0; round < runs; ++round) steps.begins.push_back(round * 100 + 50);
    }
    // Kinds of the lives of a site, in the order of their births.
    Words of(uint32_t site) {
        std::stable_sort(tensors.lives.begin(), tensors.lives.end(),
                         [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
        const Words all = kinds();
        Words found;
        for (size_t i = 0; i < all.size(); ++i) {
            if (tensors.lives[i].site == site) found.push_back(all[i]);
        }
        return found;
    }
    void set(uint32_t site, uint64_t born, uint64_t died, const std::vector<uint64_t>& sizes) {
        for (const uint64_t bytes : sizes) life(site, born, died, bytes);
    }
};

const std::vector<uint64_t> weights{72'000, 80'000, 900};

}  // namespace

TEST_CASE("learned_sizes: in a program of plain tensors, states follow the parameters") {
    SizesStory story;
    const uint32_t made = story.tensor_site({main_frame});
    const uint32_t filled = story.tensor_site({main_frame}, zeros);
    story.set(made, 1, at_end, weights);
    story.set(filled, 2, at_end, weights);
    story.set(story.tensor_site({engine, main_frame}), 105, 150, weights);
    CHECK(story.of(made) == Words(3, "parameter"));
    CHECK(story.of(filled) == Words(3, "optimiser_state"));
}

TEST_CASE("learned_sizes: an average of what is trained beside frozen weights is a state") {
    // The module makes its parameters in nn.Parameter(…), or gives them their place later.
    const std::string in_parameter = "py:Adapter.__init__ /home/me/net.py:14";
    const std::string parameter = "py:Parameter.__new__ " + torch_path + "/nn/parameter.py:49";
    for (const bool is_told : {true, false}) {
        SizesStory story;
        const uint32_t made = story.tensor_site({in_parameter, main_frame});
        const uint32_t copies = story.tensor_site({"py:<module> /home/me/train.py:64"});
        story.tensor_site({"py:Adapter.forward /home/me/net.py:20", main_frame});
        if (is_told) story.tensor_site({parameter, in_parameter, main_frame});
        story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, {500'000, 700});
        story.set(made, 2, at_end, weights);
        story.set(copies, 3, at_end, weights);
        story.set(story.tensor_site({engine, main_frame}), 105, 150, weights);
        CHECK(story.of(made) == Words(3, "parameter"));
        CHECK(story.of(copies) == Words(3, "optimiser_state"));
    }
}

TEST_CASE("learned_sizes: states follow parameters whose gradients are in larger blocks") {
    const uint64_t mib = 1 << 20;
    SizesStory story;
    story.tensors.spaces = {"tensors:0"};
    const uint32_t made = story.tensor_site({linear_init, main_frame});
    const uint32_t filled = story.tensor_site({main_frame}, zeros);
    story.set(made, 1, at_end, {3 * mib, 5 * mib, 1024});
    story.set(filled, 2, at_end, {3 * mib, 5 * mib, 1024});
    story.set(story.tensor_site({engine, main_frame}), 105, 150,
              {3 * mib + mib / 2, 5 * mib + mib / 4, 1024});
    CHECK(story.of(filled) == Words(3, "optimiser_state"));
}

TEST_CASE("learned_sizes: data that is drawn may be as large as the whole model") {
    SizesStory story;
    const std::string randn = "at::_ops::randn::call(c10::ArrayRef<long>)";
    const uint32_t made = story.tensor_site({linear_init, main_frame});
    const uint32_t drawn = story.tensor_site({main_frame}, randn);
    const uint32_t filled = story.tensor_site({"py:<module> /home/me/train.py:41"}, zeros);
    story.set(made, 1, at_end, weights);
    story.set(drawn, 2, at_end, {152'900});
    story.set(filled, 3, at_end, {152'900});
    story.set(story.tensor_site({engine, main_frame}), 105, 150, weights);
    // Computed: data that is nearly as large, and a copy of all weights.
    const uint32_t data = story.tensor_site({"py:<module> /home/me/train.py:42"});
    const uint32_t copy = story.tensor_site({"py:<module> /home/me/train.py:43"});
    story.set(data, 4, at_end, {153'000});
    story.set(copy, 5, at_end, {152'900});
    CHECK(story.of(drawn) == Words(1, "input"));
    CHECK(story.of(filled) == Words(1, "optimiser_state"));
    CHECK(story.of(data) == Words(1, "input"));
    CHECK(story.of(copy) == Words(1, "optimiser_state"));
}

TEST_CASE("learned_sizes: momenta that are replaced are states if modules have the weights") {
    SizesStory story;
    const uint32_t momenta = story.tensor_site({main_frame});
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
    for (uint64_t run = 100; run <= 300; run += 100) {
        story.set(story.tensor_site({engine, main_frame}), run + 5, run + 50, weights);
        story.set(momenta, run + 30, run + 131, weights);
    }
    CHECK(story.of(momenta) == Words(9, "optimiser_state"));
}

TEST_CASE("learned_sizes: changes that are gathered for several passes are results") {
    SizesStory story;
    const uint32_t changes = story.tensor_site({main_frame});
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
    for (uint64_t run = 100; run <= 300; run += 100) {
        story.set(story.tensor_site({engine, main_frame}), run + 5, run + 50, weights);
        story.set(changes, run + 30, 480, weights);
    }
    CHECK(story.of(changes) == Words(9, "temporary"));
}

TEST_CASE("learned_sizes: with functional_call the program gives the weights itself") {
    SizesStory story;
    const uint32_t replaced = story.tensor_site({main_frame});
    const std::string call =
        "py:functional_call " + torch_path + "/_functorch/functional_call.py:9";
    story.tensor_site({net_forward, call, main_frame});
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
    for (uint64_t run = 100; run <= 300; run += 100) {
        story.set(story.tensor_site({engine, main_frame}), run + 5, run + 50, weights);
        story.set(replaced, run + 30, run + 131, weights);
    }
    CHECK(story.of(replaced) == Words(9, "parameter"));
}

TEST_CASE("learned_sizes: factors of a preconditioner have the squares of a matrix's sides") {
    SizesStory story;
    const uint32_t factors = story.tensor_site({main_frame});
    const uint32_t other = story.tensor_site({"py:<module> /home/me/train.py:41"});
    story.tensor_site({net_forward, main_frame});
    // 64 rows, 192 columns
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 49'152);
    for (uint64_t run = 100; run <= 300; run += 100) {
        story.life(story.tensor_site({engine, main_frame}), run + 5, run + 40, 49'152);
        story.set(factors, run + 30, run + 131, {16'384, 147'456});
        story.life(other, run + 31, run + 132, 16'000);
        story.life(other, run + 60, run + 160, 16'384);  // a batch, in the next round
    }
    CHECK(story.of(factors) == Words(6, "optimiser_state"));
    CHECK(story.of(other) == Words(6, "input"));
    // Data that is made with such sizes before the training.
    const uint32_t data = story.tensor_site({"py:<module> /home/me/train.py:42"}, zeros);
    story.set(data, 2, at_end, {16'384, 147'456});
    CHECK(story.of(data) == Words(2, "input"));
}

TEST_CASE("learned_sizes: gradients that are asked for and kept for some steps are a state") {
    SizesStory story(8);
    const uint32_t kept = story.tensor_site({engine, grad, main_frame});
    const uint32_t brief = story.tensor_site({engine, grad, "py:main /home/me/train.py:50"});
    story.set(kept, 105, 450, weights);
    story.set(kept, 505, at_end, weights);
    story.set(brief, 205, 250, weights);
    CHECK(story.of(kept) == Words(6, "optimiser_state"));
    CHECK(story.of(brief) == Words(3, "gradient"));
}

TEST_CASE("learned_sizes: zeros that are made for each step, beside an optimiser, sum gradients") {
    SizesStory story(9);
    const uint32_t sums = story.tensor_site({main_frame}, zeros);
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
    story.life(story.tensor_site({adam, main_frame}), 130, at_end);
    for (uint64_t run = 100; run <= 900; run += 100)
        story.set(story.tensor_site({engine, main_frame}), run + 5, run + 30, weights);
    story.set(sums, 60, 440, weights);
    story.set(sums, 460, 840, weights);
    CHECK(story.of(sums) == Words(6, "gradient"));
}

TEST_CASE("learned_sizes: what a module computes while it is made is a buffer") {
    SizesStory story;
    const std::string normalize = "py:normalize " + torch_path + "/nn/functional.py:5000";
    const std::string mul =
        "torch::autograd::VariableType::(anonymous namespace)::mul_Tensor(at::Tensor)";
    const uint32_t call = story.stack({mul, "py:f /home/me/n.py:1"});
    story.tensor_site(story.stack({"torch::autograd::set_history(at::Tensor)"}, call));
    story.tensor_site({net_forward, main_frame});
    const uint32_t queue = story.tensor_site({mul, normalize, net_init, main_frame});
    const uint32_t targets = story.tensor_site({mul, normalize, main_frame});
    story.life(queue, 1, at_end, 5'000);
    story.life(targets, 2, at_end, 5'000);
    CHECK(story.of(queue) == Words{"buffer"});
    CHECK(story.of(targets) == Words{"input"});
}

TEST_CASE("learned_sizes: points with gradients are data if the optimiser keeps nothing for them") {
    SizesStory story;
    const uint32_t points = story.tensor_site({main_frame}, "at::_ops::rand::call(int)");
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
    story.life(points, 2, at_end, 64'000);
    for (uint64_t run = 100; run <= 300; run += 100) {
        story.set(story.tensor_site({engine, main_frame}), run + 5, run + 50, weights);
        story.life(story.tensor_site({engine, main_frame}), run + 6, run + 50, 64'000);
    }
    CHECK(story.of(points) == Words{"parameter"});  // Nothing says that it is not learned.
    const uint32_t state = story.tensor_site({adam, main_frame});
    story.set(state, 130, at_end, weights);
    CHECK(story.of(points) == Words{"input"});
    story.life(state, 131, at_end, 64'000);
    CHECK(story.of(points) == Words{"parameter"});
}

TEST_CASE("learned_sizes: what takes the place of most gradients is one, though some stay") {
    SizesStory story;
    const uint32_t merged = story.tensor_site({main_frame});
    const std::vector<uint64_t> heads{700, 500, 300};
    const std::vector<uint64_t> body{72'000, 80'000};
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, body);
    story.set(story.tensor_site({linear_init, main_frame}), 2, at_end, heads);
    for (uint64_t run = 100; run <= 300; run += 100) {
        story.set(story.tensor_site({engine, main_frame}), run + 5, run + 31, body);
        story.set(story.tensor_site({engine, main_frame}), run + 6, run + 60, heads);
        story.set(merged, run + 30, run + 60, body);
    }
    CHECK(story.of(merged) == Words(6, "gradient"));
}

TEST_CASE("learned_sizes: without a backward pass, zeros that are kept are no gradients") {
    SizesStory story(0);
    const uint32_t momentum = story.tensor_site({main_frame}, zeros);
    story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
    story.set(momentum, 2, at_end, weights);
    CHECK(story.of(momentum) == Words(3, "optimiser_state"));
}

TEST_CASE("learned_sizes: of many results, the size is that of the model by chance") {
    for (const uint64_t more : {300, 0}) {
        SizesStory story(6);
        const uint32_t kept = story.tensor_site({main_frame});
        story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
        for (uint64_t run = 100; run <= 300; run += 100) {
            story.set(story.tensor_site({engine, main_frame}), run + 5, run + 40, weights);
            story.life(kept, run + 30, at_end, 152'900 + more);
        }
        CHECK((story.of(kept) == Words(3, "optimiser_state")) == (more == 0));
    }
}

TEST_CASE("learned_sizes: a batch that has the sizes of weights by chance is drawn in its round") {
    for (const uint64_t drawn : {60, 30}) {
        SizesStory story;
        const uint32_t batch = story.tensor_site({main_frame});
        story.tensor_site({net_forward, main_frame});
        story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
        story.life(story.tensor_site({adam, main_frame}), 130, at_end);
        for (uint64_t run = 100; run <= 300; run += 100) {
            story.set(story.tensor_site({engine, main_frame}), run + 5, run + 25, weights);
            story.set(batch, run + drawn, run + drawn + 100, weights);
        }
        CHECK(story.of(batch) == Words(9, drawn == 60 ? "input" : "optimiser_state"));
    }
}

TEST_CASE("learned_sizes: a batch that is as large as the model by chance is drawn in its round") {
    for (const uint64_t drawn : {60, 30}) {
        SizesStory story(8);
        const uint32_t batch = story.tensor_site({main_frame});
        story.tensor_site({net_forward, main_frame});
        story.set(story.tensor_site({linear_init, main_frame}), 1, at_end, weights);
        story.life(story.tensor_site({adam, main_frame}), 130, at_end);
        for (uint64_t run = 100; run <= 300; run += 100) {
            story.set(story.tensor_site({engine, main_frame}), run + 5, run + 25, weights);
            story.life(batch, run + drawn, run + drawn + 350, 152'900);
        }
        CHECK(story.of(batch) == Words(3, drawn == 60 ? "input" : "optimiser_state"));
    }
}
