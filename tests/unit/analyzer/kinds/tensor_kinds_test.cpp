// SPDX-License-Identifier: Apache-2.0
//
// Lives of tensors and what they are. Backward passes run from 100 to 120 and from 200 to 220.
#include "analyzer/kinds/tensor_kinds.h"

#include <algorithm>

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Words = std::vector<std::string>;

TrainingStory two_steps() {
    TrainingStory story;
    story.tensors.runs = {{100, 120}, {200, 220}};
    return story;
}

}  // namespace

TEST_CASE("tensor_kinds: modules make parameters, and the optimiser its state") {
    TrainingStory story = two_steps();
    story.life(story.tensor_site({linear_init, net_init, main_frame}), 1, at_end);
    const uint32_t state = story.tensor_site({adam, main_frame});
    story.life(state, 130, at_end);
    story.life(state, 131, 132);
    CHECK(story.kinds() == Words{"parameter", "optimiser_state", "temporary"});
}

TEST_CASE("tensor_kinds: what goes forward is kept for the backward pass or is gone before") {
    TrainingStory story = two_steps();
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    story.life(forward, 90, 110);
    story.life(forward, 91, 92);
    story.life(forward, 190, 210);
    CHECK(story.kinds() == Words{"activation", "temporary", "activation"});
}

TEST_CASE("tensor_kinds: gradients outlive the pass that makes them") {
    TrainingStory story = two_steps();
    const uint32_t backward = story.tensor_site({engine, main_frame});
    story.life(backward, 105, 150);
    story.life(backward, 106, 108);
    story.life(backward, 205, at_end);
    CHECK(story.kinds() == Words{"gradient", "autograd", "gradient"});
}

TEST_CASE("tensor_kinds: checkpointing makes activations within the backward pass") {
    TrainingStory story = two_steps();
    story.life(story.tensor_site({net_forward, engine, main_frame}), 105, 108);
    CHECK(story.kinds() == Words{"activation"});
}

TEST_CASE("tensor_kinds: a module's own tensors are learned if they have gradients") {
    TrainingStory story = two_steps();
    const uint32_t own = story.tensor_site({net_init, main_frame});
    story.tensor_site({net_forward, main_frame});  // so Net is a module
    const uint32_t dataset = story.tensor_site({"py:Windows.__init__ /home/me/data.py:3"});
    story.life(own, 1, at_end, 64);
    story.life(own, 2, at_end, 48);
    story.life(dataset, 3, at_end, 4096);
    story.life(story.tensor_site({engine, main_frame}), 105, 150, 64);
    CHECK(story.kinds() == Words{"parameter", "buffer", "input", "gradient"});
}

TEST_CASE("tensor_kinds: running statistics are buffers") {
    TrainingStory story = two_steps();
    const std::string norm = "py:_NormBase.__init__ " + torch_path + "/nn/modules/batchnorm.py:50";
    story.life(story.tensor_site({norm, net_init}), 1, at_end);
    story.life(story.tensor_site({norm, net_init}, "at::_ops::zeros::call(c10::ArrayRef)"), 2,
               at_end);
    // The number of batches that they are of.
    story.life(story.tensor_site({norm, net_init}, "torch::utils::tensor_ctor(PyObject*)"), 3,
               at_end, 8);
    CHECK(story.kinds() == Words{"parameter", "buffer", "buffer"});
}

TEST_CASE("tensor_kinds: batches come from a loader, or before the model runs") {
    TrainingStory story = two_steps();
    const uint32_t batch = story.tensor_site({main_frame});
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    story.life(story.tensor_site({loader, main_frame}), 60, 130);
    story.life(batch, 61, 130);
    story.life(forward, 62, 110);
    story.life(batch, 63, 110);  // a loss, computed by the program itself
    story.life(batch, 140, 230);
    CHECK(story.kinds() == Words{"input", "input", "activation", "activation", "input"});
}

TEST_CASE("tensor_kinds: a hand-written optimiser's state has the sizes of parameters") {
    TrainingStory story = two_steps();
    story.tensors.runs.push_back({300, 320});
    story.tensors.runs.push_back({400, 420});
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 72);
    const uint32_t momentum = story.tensor_site({main_frame});
    story.life(momentum, 2, at_end, 72);
    story.life(story.tensor_site({engine, main_frame}), 105, 150, 72);
    story.life(momentum, 130, at_end, 72);
    CHECK(story.kinds() == Words{"parameter", "optimiser_state", "gradient", "optimiser_state"});
}

TEST_CASE("tensor_kinds: an optimiser may run inside of the backward pass") {
    TrainingStory story = two_steps();
    const uint32_t state = story.tensor_site({adam, engine, main_frame});
    story.life(state, 105, at_end);
    story.life(state, 106, 107);
    CHECK(story.kinds() == Words{"optimiser_state", "temporary"});
}

TEST_CASE("tensor_kinds: weights from a file are parameters if they have gradients") {
    TrainingStory story = two_steps();
    const uint32_t load = story.tensor_site({"py:load " + torch_path + "/serialization.py:9"});
    story.life(story.tensor_site({linear_init, main_frame}), 1, 3, 72);
    story.life(load, 2, at_end, 72);
    story.life(load, 3, at_end, 9000);  // a data set
    story.life(story.tensor_site({engine, main_frame}), 105, 150, 72);
    CHECK(story.kinds() == Words{"temporary", "parameter", "input", "gradient"});
}

TEST_CASE("tensor_kinds: a state is from a file if no state of the optimiser is there then") {
    // When an optimiser's own state was made, and when it was given back.
    const auto loaded_beside = [](uint64_t born, uint64_t died) {
        TrainingStory story = two_steps();
        for (uint64_t run = 3; run < 8; ++run)
            story.tensors.runs.push_back({run * 100, run * 100 + 20});
        for (BackwardRun& run : story.tensors.runs) run.is_learned = true;
        const uint32_t load = story.tensor_site({"py:load " + torch_path + "/serialization.py:9"});
        story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, 72);
        story.life(story.tensor_site({engine, main_frame}), 105, 150, 72);
        story.life(story.tensor_site({adam, main_frame}), born, died, 72);
        story.life(load, 350, at_end, 4);  // the number of steps
        story.life(load, 351, at_end, 72);
        std::stable_sort(story.tensors.lives.begin(), story.tensors.lives.end(),
                         [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
        Words found;
        const Words kinds = story.kinds();
        for (size_t i = 0; i < kinds.size(); ++i) {
            if (story.tensors.lives[i].site == load) found.push_back(kinds[i]);
        }
        return found;
    };
    CHECK(loaded_beside(130, 340) == Words(2, "optimiser_state"));     // of an earlier optimiser
    CHECK(loaded_beside(130, 355) == Words(2, "optimiser_state"));     // replaced by what is loaded
    CHECK(loaded_beside(630, at_end) == Words(2, "optimiser_state"));  // of a later one
    CHECK(loaded_beside(430, at_end) == Words(2, "input"));
    CHECK(loaded_beside(130, at_end) == Words(2, "input"));
}

TEST_CASE("tensor_kinds: a program of plain tensors has parameters and activations, too") {
    TrainingStory story = two_steps();
    const std::string randn = "at::_ops::randn::call(c10::ArrayRef)";
    const uint32_t made = story.tensor_site({main_frame}, randn);
    story.life(made, 1, at_end, 72);
    story.life(made, 130, 230, 50);
    story.life(story.tensor_site({main_frame}), 131, 210, 50);
    story.life(story.tensor_site({engine, main_frame}), 105, 150, 72);
    CHECK(story.kinds() == Words{"parameter", "input", "activation", "gradient"});
}

TEST_CASE("tensor_kinds: a gradient in the loss is an activation") {
    TrainingStory story = two_steps();
    const std::string grad = "py:grad " + torch_path + "/autograd/__init__.py:400";
    const uint32_t penalty = story.tensor_site({engine, grad, main_frame});
    story.life(penalty, 102, 210);
    CHECK(story.kinds() == Words{"gradient"});  // nothing else goes backward
    story.life(story.tensor_site({engine, main_frame}), 105, 106);
    CHECK(story.kinds() == Words{"activation", "autograd"});
}

TEST_CASE("tensor_kinds: buckets of gradients are gradients") {
    TrainingStory story = two_steps();
    story.life(story.tensor_site({main_frame}, "c10d::Reducer::initialize_buckets(int)"), 1,
               at_end);
    CHECK(story.kinds() == Words{"gradient"});
}

TEST_CASE("tensor_kinds: without a backward pass nothing is kept for one") {
    TrainingStory story;
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end);
    story.life(story.tensor_site({net_forward, main_frame}), 2, 3);
    CHECK(story.kinds() == Words{"parameter", "temporary"});
}

TEST_CASE("tensor_kinds: one data set with the size of a parameter is no state") {
    TrainingStory story = two_steps();
    story.tensors.runs.push_back({300, 320});
    story.tensors.runs.push_back({400, 420});
    const uint32_t backward = story.tensor_site({engine, main_frame});
    for (const uint64_t bytes : {72, 80, 88}) {
        story.life(story.tensor_site({linear_init, main_frame}), 1, at_end, bytes);
        story.life(backward, 105, 150, bytes);
    }
    story.tensor_site({net_forward, main_frame});
    story.life(story.tensor_site({main_frame}), 130, at_end, 72);
    CHECK(story.kinds().back() == "input");
}

TEST_CASE("tensor_kinds: weights that are replaced in each step are parameters") {
    TrainingStory story = two_steps();
    const uint32_t backward = story.tensor_site({engine, main_frame});
    const uint32_t main = story.tensor_site({main_frame});
    for (const uint64_t bytes : {72, 80}) story.life(backward, 105, 150, bytes);
    for (const uint64_t bytes : {72, 80}) story.life(main, 130, 230, bytes);
    CHECK(story.kinds() == Words{"gradient", "gradient", "parameter", "parameter"});
}

TEST_CASE("tensor_kinds: what the first forward pass makes for all is a buffer") {
    TrainingStory story = two_steps();
    story.tensors.runs.push_back({300, 320});
    const std::string mul =
        "torch::autograd::VariableType::(anonymous namespace)::mul_Tensor(at::Tensor)";
    const uint32_t table = story.tensor_site({mul, net_forward, main_frame});
    story.site("host",
               story.stack({"torch::autograd::set_history(at::Tensor)", mul, "py:f /n.py:1"}), 1,
               100);  // another operation is recorded
    story.space("host").numbers.push_back(1);
    story.life(table, 90, at_end);
    story.life(table, 190, 230);
    CHECK(story.kinds() == Words{"buffer", "activation"});
}

namespace {

// A model with tensors of these sizes, which the first backward pass may give gradients.
const std::vector<uint64_t> model_sizes{72'000, 80'000, 900};

TrainingStory four_steps() {
    TrainingStory story;
    story.tensors.runs = {{100, 120}, {200, 220}, {300, 320}, {400, 420}};
    return story;
}

void model_with_gradients(TrainingStory& story, uint64_t died = at_end) {
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    const uint32_t backward = story.tensor_site({engine, main_frame});
    for (const uint64_t bytes : model_sizes) story.life(module, 1, died, bytes);
    for (const uint64_t bytes : model_sizes) story.life(backward, 105, 150, bytes);
}

const std::string zeros = "at::_ops::zeros_like::call(at::Tensor)";
const std::string empty = "at::_ops::empty_memory_format::call(c10::ArrayRef)";
const std::string load = "py:load " + torch_path + "/serialization.py:9";

// The kinds of the lives from the place on.
Words kinds_from(const TrainingStory& story, size_t place) {
    const Words all = story.kinds();
    return {all.begin() + static_cast<ptrdiff_t>(place), all.end()};
}

}  // namespace

TEST_CASE("tensor_kinds: a model that is made after a first training is one, too") {
    TrainingStory story = four_steps();
    story.life(story.tensor_site({linear_init, main_frame}), 130, at_end, 72);
    story.life(story.tensor_site({linear_init, main_frame}), 131, 190, 72);
    CHECK(story.kinds() == Words{"parameter", "temporary"});
}

TEST_CASE("tensor_kinds: a file has the optimiser's state, too, if the weights have their place") {
    TrainingStory story = four_steps();
    model_with_gradients(story);
    const uint32_t file = story.tensor_site({load, main_frame});
    for (const uint64_t bytes : model_sizes) story.life(file, 3, at_end, bytes);
    CHECK(kinds_from(story, 6) == Words(3, "optimiser_state"));
    // A copy of the weights that nobody gave back is no state if the optimiser has made its own.
    const uint32_t state = story.tensor_site({adam, main_frame});
    for (const uint64_t bytes : model_sizes) story.life(state, 130, at_end, bytes);
    CHECK(kinds_from(story, 6) == Words{"input", "input", "input", "optimiser_state",
                                        "optimiser_state", "optimiser_state"});
}

TEST_CASE("tensor_kinds: many tensors from a file are weights, also those that are frozen") {
    TrainingStory story = four_steps();
    const uint32_t file = story.tensor_site({load, main_frame});
    const uint32_t data = story.tensor_site({load, "py:read /home/me/data.py:3", main_frame});
    for (uint64_t i = 0; i < 10; ++i) story.life(file, 1, at_end, 5000 + i);
    story.life(data, 2, at_end, 9000);
    const Words kinds = story.kinds();
    CHECK(kinds.front() == "parameter");
    CHECK(kinds.back() == "input");
}

TEST_CASE("tensor_kinds: gradients that the program makes and sets to zero are gradients") {
    TrainingStory story = four_steps();
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    const uint32_t made = story.tensor_site({main_frame}, zeros);
    for (const uint64_t bytes : model_sizes) story.life(module, 1, at_end, bytes);
    for (const uint64_t bytes : model_sizes) story.life(made, 2, at_end, bytes);
    for (const uint64_t bytes : model_sizes) story.life(made, 3, at_end, bytes);
    CHECK(kinds_from(story, 3) == Words{"gradient", "gradient", "gradient", "optimiser_state",
                                        "optimiser_state", "optimiser_state"});
}

TEST_CASE("tensor_kinds: a set that the program computes after the pass may be its gradients") {
    TrainingStory story = four_steps();
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    const uint32_t computed = story.tensor_site({main_frame});
    for (const uint64_t bytes : model_sizes) story.life(module, 1, at_end, bytes);
    story.life(computed, 129, 130, 72'000);  // one that it is computed from
    for (const uint64_t bytes : model_sizes) story.life(computed, 130, 150, bytes);
    story.life(computed, 140, 141, 80'000);  // computed from it
    CHECK(kinds_from(story, 3) ==
          Words{"temporary", "gradient", "gradient", "gradient", "temporary"});
}

TEST_CASE("tensor_kinds: copies of gradients are temporary, unless they take their place") {
    TrainingStory story = four_steps();
    model_with_gradients(story);
    const uint32_t computed = story.tensor_site({main_frame});
    for (const uint64_t bytes : model_sizes) story.life(computed, 130, 140, bytes);
    CHECK(kinds_from(story, 6) == Words(3, "temporary"));
    for (const uint64_t bytes : model_sizes) story.life(computed, 145, 160, bytes);
    CHECK(kinds_from(story, 9) == Words(3, "gradient"));
}

TEST_CASE("tensor_kinds: copies in full precision are states, and so are gradients of these") {
    TrainingStory story = four_steps();
    model_with_gradients(story);
    const uint32_t computed = story.tensor_site({main_frame});
    for (const uint64_t bytes : model_sizes) story.life(computed, 2, at_end, bytes * 2);
    for (const uint64_t bytes : model_sizes) story.life(computed, 130, 150, bytes * 2);
    std::sort(story.tensors.lives.begin(), story.tensors.lives.end(),
              [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
    CHECK(story.kinds() == Words{"parameter", "parameter", "parameter", "optimiser_state",
                                 "optimiser_state", "optimiser_state", "gradient", "gradient",
                                 "gradient", "gradient", "gradient", "gradient"});
}

TEST_CASE("tensor_kinds: a model may lie in one tensor, and so may its gradients and states") {
    TrainingStory story = four_steps();
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    for (const uint64_t bytes : model_sizes) story.life(module, 1, 10, bytes);
    const uint64_t all = 72'000 + 80'000 + 900;
    story.life(story.tensor_site({main_frame}, empty), 5, at_end, all + 64);
    const uint32_t filled = story.tensor_site({main_frame}, zeros);
    for (uint64_t i = 0; i < 3; ++i) story.life(filled, 11 + i, at_end, all + 64);
    story.life(story.tensor_site({main_frame}, empty), 15, at_end, all / 3);
    CHECK(kinds_from(story, 3) ==
          Words{"parameter", "gradient", "optimiser_state", "optimiser_state", "input"});
}

TEST_CASE("tensor_kinds: what takes the place of a module's weights is a parameter") {
    TrainingStory story = four_steps();
    story.tensors.runs.push_back({500, 520});
    story.tensors.runs.push_back({600, 620});
    model_with_gradients(story, 190);
    const uint32_t copies = story.tensor_site({main_frame});
    story.life(story.tensor_site({adam, main_frame}), 125, at_end);
    for (const uint64_t bytes : model_sizes) story.life(copies, 130, at_end, bytes);
    CHECK(kinds_from(story, 7) == Words(3, "parameter"));
}

TEST_CASE("tensor_kinds: without a backward pass, nothing tells results from tables") {
    TrainingStory story;
    const std::string randn = "at::_ops::randn::call(c10::ArrayRef)";
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    const uint32_t computed = story.tensor_site({main_frame});
    story.life(story.tensor_site({linear_init, main_frame}), 1, at_end);
    story.life(story.tensor_site({main_frame}, randn), 2, at_end, 300);
    story.life(computed, 3, at_end, 300);  // a batch that is prepared
    story.life(forward, 4, 5);
    story.life(forward, 6, at_end, 300);
    story.life(computed, 7, at_end, 300);
    CHECK(story.kinds() == Words{"parameter", "input", "input", "temporary", "unknown", "unknown"});
}
