// SPDX-License-Identifier: Apache-2.0
//
// Copies that take the place of weights. Backward passes run from 100 to 120, from 200 to 220 and
// so on; the model has a weight of 4,000 bytes and one of 800.
#include "analyzer/kinds/exchanged_weights.h"

#include <algorithm>

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::vector<uint64_t> sizes{4000, 800};

class ExchangeStory : public TrainingStory {
public:
    ExchangeStory() {
        for (uint64_t run = 100; run <= 600; run += 100) tensors.runs.push_back({run, run + 20});
        module = tensor_site({linear_init, main_frame});
        backward = tensor_site({engine, main_frame});
        copy = tensor_site({"at::_ops::clone::call(at::Tensor)", main_frame});
    }

    // Lives of all weights, one ns after the other.
    void set(uint32_t site, uint64_t born, uint64_t died) {
        for (const uint64_t bytes : sizes) {
            life(site, born++, died == at_end ? died : died++, bytes);
        }
    }
    void gradients() {
        for (const BackwardRun& run : tensors.runs) set(backward, run.begin + 2, run.end + 37);
    }
    TrainingKinds found() const {
        return tensor_kinds(tensors, TrainingSites(recording.model, recording.symbols), {0}, {});
    }

    uint32_t module = 0, backward = 0, copy = 0;
};

constexpr TrainingKind parameter = TrainingKind::parameter;
constexpr TrainingKind state = TrainingKind::optimiser_state;

}  // namespace

TEST_CASE("exchanged_weights: a copy is a weight from when it takes the place of one") {
    ExchangeStory story;
    story.set(story.module, 10, 250);
    story.set(story.copy, 150, 450);
    story.set(story.copy, 350, at_end);
    story.gradients();
    const TrainingKinds kinds = story.found();
    for (const size_t life : {0, 1}) CHECK(kinds.at(life, 240) == parameter);
    for (const size_t life : {2, 3}) {
        CHECK(kinds.at(life, 240) == state);
        CHECK(kinds.at(life, 251) == parameter);
        CHECK(kinds.at(life, 440) == parameter);
    }
    for (const size_t life : {4, 5}) {
        CHECK(kinds.at(life, 440) == state);
        CHECK(kinds.at(life, 451) == parameter);
    }
}

TEST_CASE("exchanged_weights: an average stays a state, though weights come and go") {
    ExchangeStory story;
    story.set(story.module, 10, 250);
    const uint32_t average_line = story.tensor_site(
        {"at::_ops::clone::call(at::Tensor)", "py:<module> /home/me/train.py:30"});
    story.set(average_line, 20, at_end);
    story.set(story.copy, 150, 450);
    story.set(story.copy, 350, at_end);
    story.gradients();
    const TrainingKinds kinds = story.found();
    for (const size_t average : {2, 3}) CHECK(kinds.at(average, 500) == state);
    for (const size_t weight : {6, 7}) CHECK(kinds.at(weight, 500) == parameter);
}

TEST_CASE("exchanged_weights: copies of weights that a module replaces are none") {
    ExchangeStory story;
    story.set(story.module, 10, 250);
    story.set(story.copy, 150, at_end);  // the best weights of a fold
    story.set(story.module, 230, at_end);
    story.gradients();
    const TrainingKinds kinds = story.found();
    for (const size_t copy : {2, 3}) CHECK(kinds.later[copy].from == TensorLife::never);
}

TEST_CASE("exchanged_weights: a program that ends gives back weights, and copies later") {
    ExchangeStory story;
    story.set(story.module, 10, 700);
    story.set(story.copy, 150, 710);
    story.gradients();
    CHECK(story.found().at(2, 705) != parameter);
}

TEST_CASE("exchanged_weights: a copy of one weight is no exchange") {
    ExchangeStory story;
    story.set(story.module, 10, 250);
    story.life(story.copy, 150, at_end, sizes[1]);
    story.gradients();
    CHECK(story.found().at(2, 300) != parameter);
}

TEST_CASE("exchanged_weights: what is computed instead of a weight is one at once") {
    ExchangeStory story;
    const uint32_t computed = story.tensor_site({"at::_ops::sub_Tensor::call()", main_frame});
    story.set(story.module, 10, 150);
    story.set(computed, 140, 250);  // momentum, made first, is replaced as well
    story.set(computed, 145, 350);
    story.gradients();
    std::sort(story.tensors.lives.begin(), story.tensors.lives.end(),
              [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
    const TrainingKinds kinds = story.found();
    std::vector<TrainingKind> told;
    for (size_t i = 0; i < story.tensors.lives.size(); ++i) {
        if (story.tensors.lives[i].site == computed) told.push_back(kinds.at(i, 160));
    }
    CHECK(told == std::vector{state, state, parameter, parameter});
}

TEST_CASE("exchanged_weights: a copy that is given back with its gradient was trained") {
    ExchangeStory story;
    story.set(story.module, 10, at_end);
    for (const uint64_t begin : {100, 300}) {
        for (const uint64_t bytes : sizes) {
            story.life(story.copy, begin - 20, begin + 150 + bytes, bytes);
            story.life(story.backward, begin + 5, begin + 149 + bytes, bytes);
        }
    }
    std::sort(story.tensors.lives.begin(), story.tensors.lives.end(),
              [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
    const TrainingKinds kinds = story.found();
    for (size_t i = 0; i < story.tensors.lives.size(); ++i) {
        const TrainingKind kind = kinds.of_lives[i];
        if (story.tensors.lives[i].site == story.copy) CHECK(kind == parameter);
    }
}

TEST_CASE("exchanged_weights: copies for which there are gradients all at once are trained") {
    for (const size_t trained : {size_t{1}, size_t{2}}) {
        ExchangeStory story;
        story.set(story.module, 10, at_end);
        for (size_t copy = 0; copy < 2; ++copy) story.set(story.copy, 20 + 10 * copy, at_end);
        for (size_t copy = 0; copy < trained; ++copy) {
            for (const uint64_t bytes : sizes) story.life(story.backward, 105, 290, bytes);
        }
        const TrainingKinds kinds = story.found();
        for (size_t i = 0; i < story.tensors.lives.size(); ++i) {
            if (story.tensors.lives[i].site != story.copy) continue;
            CHECK((kinds.of_lives[i] == parameter) == (trained == 2));
        }
    }
}

TEST_CASE("exchanged_weights: what forward() puts in the place of a buffer is one") {
    TrainingStory story;
    for (uint64_t run = 100; run <= 400; run += 100) story.tensors.runs.push_back({run, run + 20});
    const std::string add =
        "torch::autograd::VariableType::(anonymous namespace)::add_Tensor(at::Tensor)";
    const std::string zeros = "at::_ops::zeros::call(c10::ArrayRef)";
    const uint32_t made = story.tensor_site({zeros, net_init, main_frame});
    const uint32_t running = story.tensor_site({add, net_forward, main_frame});
    // Another operation is recorded in the graph.
    const uint32_t call = story.stack({add, "py:Net.forward /home/me/net.py:30", main_frame});
    story.tensor_site(story.stack({"torch::autograd::set_history(at::Tensor)"}, call));
    story.life(made, 1, 81);
    for (uint64_t round = 0; round < 4; ++round)
        story.life(running, 80 + 100 * round, 181 + 100 * round);
    CHECK(story.kinds() == std::vector<std::string>(5, "buffer"));
    // One that nothing made with the module comes before is no buffer.
    story.tensors.lives.erase(story.tensors.lives.begin());
    CHECK(story.kinds().front() != "buffer");
}

TEST_CASE("exchanged_weights: a copy of data that gets a gradient was not trained") {
    ExchangeStory story;
    story.set(story.module, 10, at_end);
    for (const uint64_t begin : {200, 400}) {
        story.life(story.backward, begin + 5, begin + 98, 9000);
        story.life(story.copy, begin - 20, begin + 99, 9000);
    }
    std::sort(story.tensors.lives.begin(), story.tensors.lives.end(),
              [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
    const TrainingKinds kinds = story.found();
    for (size_t i = 0; i < story.tensors.lives.size(); ++i) {
        if (story.tensors.lives[i].site == story.copy) CHECK(kinds.of_lives[i] != parameter);
    }
}
