// SPDX-License-Identifier: Apache-2.0
//
// Results that a program keeps. Backward passes run from 100 to 120, from 200 to 220 and so on; a
// round begins at 50, 150 and so on.
#include "analyzer/kinds/kept_results.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Words = std::vector<std::string>;

const std::string mul =
    "torch::autograd::VariableType::(anonymous namespace)::mul_Tensor(at::Tensor)";
const std::string line_of_loss = "py:<module> /home/me/train.py:44";

// The model goes forward once in each of six rounds, and its graph is gone after the backward pass.
class ResultsStory : public TrainingStory {
public:
    ResultsStory() {
        for (uint64_t run = 100; run <= 600; run += 100) tensors.runs.push_back({run, run + 20});
        steps = {"train.py:40", {50, 150, 250, 350, 450, 550}, 650, "", false};
        const uint32_t call = stack({mul, line_of_loss});
        recorded = tensor_site(stack({"c10::alloc_cpu(unsigned long)"}, call));
        tensor_site(stack({"torch::autograd::set_history(at::Tensor)"}, call));
        node = tensor_site(stack({"operator new(unsigned long)"}, call));
        aside = tensor_site({mul, main_frame});
    }

    // `graph_died`: of each round, counted from the round's begin.
    void train(uint64_t graph_died) {
        for (const uint64_t begin : steps.begins) {
            if (computed_at < 10) extra(begin);
            life(recorded, begin + 10, begin + 60);
            tensors.others.push_back(
                {.born = begin + 11, .died = begin + graph_died, .bytes = 64, .site = node});
            if (computed_at >= 10) extra(begin);
        }
    }

    // The kind of the one that is computed in the third round.
    std::string kind_of_aside() const {
        const Words words = kinds();
        for (size_t i = 0; i < words.size(); ++i) {
            const TensorLife& life = tensors.lives[i];
            if (life.site == aside && life.born > steps.begins.at(2)) return words[i];
        }
        return "none";
    }

    // A tensor that is computed outside of the graph in each round, and lives so long.
    uint64_t computed_at = 0, lives = 0;
    uint32_t recorded = 0, node = 0, aside = 0;

private:
    void extra(uint64_t begin) {
        if (lives != 0) life(aside, begin + computed_at, begin + computed_at + lives);
    }
};

}  // namespace

namespace {

constexpr uint64_t always = 1000, graph_of_round = 70, graph_kept = 450;

// `computed_at`: time in each round at which a tensor is computed outside of the graph.
std::string kind_of(uint64_t computed_at, uint64_t lives, uint64_t graph_died = graph_of_round) {
    ResultsStory story;
    story.computed_at = computed_at, story.lives = lives;
    story.train(graph_died);
    return story.kind_of_aside();
}

}  // namespace

TEST_CASE("kept_results: what is computed from the model's output and kept is a result") {
    CHECK(kind_of(30, always) == "temporary");
    CHECK(kind_of(30, 40) == "activation");  // saved for the pass of its round
    // A graph that is kept may hold what was computed beside it.
    CHECK(kind_of(30, 400, graph_kept) == "activation");
}

TEST_CASE("kept_results: what a round computes behind its pass is a result, the data before not") {
    CHECK(kind_of(90, always) == "temporary");
    CHECK(kind_of(5, always) == "input");
}

TEST_CASE(
    "kept_results: what a round computes behind its pass and keeps for the next is a result") {
    CHECK(kind_of(90, 100) == "temporary");
    CHECK(kind_of(90, 30) == "temporary");
    CHECK(kind_of(5, 90) == "input");
}

TEST_CASE("kept_results: what outlives its graph is an activation first, and a result then") {
    ResultsStory story;
    story.life(story.recorded, 55, 400);
    story.train(70);
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    const TrainingKinds kinds = tensor_kinds(story.tensors, sites, {0}, story.steps.begins);
    CHECK(kinds.at(0, 110) == TrainingKind::activation);
    CHECK(kinds.at(0, 120) == TrainingKind::temporary);
    CHECK(kinds.outlives_graph(0));
    CHECK_FALSE(kinds.outlives_graph(1));
}

TEST_CASE("kept_results: copies of the weights that a line makes again and again are snapshots") {
    TrainingStory story;
    for (uint64_t run = 100; run <= 600; run += 100) story.tensors.runs.push_back({run, run + 20});
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    const uint32_t backward = story.tensor_site({engine, main_frame});
    const uint32_t copy = story.tensor_site({"at::_ops::clone::call(at::Tensor)", main_frame});
    const std::vector<uint64_t> sizes{72, 80};
    for (const uint64_t bytes : sizes) story.life(module, 1, at_end, bytes);
    for (const uint64_t bytes : sizes) story.life(backward, 105, 110, bytes);
    for (const uint64_t bytes : sizes) story.life(copy, 130, at_end, bytes);
    const auto kind_of_copies = [&] { return story.kinds().back(); };
    CHECK(kind_of_copies() == "optimiser_state");  // It may become an average.
    for (const uint64_t bytes : sizes) story.life(copy, 230, at_end, bytes);
    CHECK(kind_of_copies() == "temporary");
}

TEST_CASE("kept_results: what a snapshot takes the place of is one, too") {
    TrainingStory story;
    for (uint64_t run = 100; run <= 600; run += 100) story.tensors.runs.push_back({run, run + 20});
    const std::string clone = "at::_ops::clone::call(at::Tensor)";
    const uint32_t module = story.tensor_site({linear_init, main_frame});
    const uint32_t first = story.tensor_site({"py:<module> /home/me/train.py:10"}, clone);
    const uint32_t backward = story.tensor_site({engine, main_frame});
    const uint32_t better = story.tensor_site({main_frame}, clone);
    const std::vector<uint64_t> sizes{72, 80};
    for (const uint64_t bytes : sizes) story.life(module, 1, at_end, bytes);
    for (const uint64_t bytes : sizes) story.life(first, 2, 435, bytes);
    for (const uint64_t bytes : sizes) story.life(backward, 105, 110, bytes);
    CHECK(story.kinds().at(2) == "optimiser_state");
    for (const uint64_t bytes : sizes) story.life(better, 430, 535, bytes);
    for (const uint64_t bytes : sizes) story.life(better, 530, at_end, bytes);
    const Words words = story.kinds();
    CHECK(words.at(2) == "temporary");
    CHECK(words.at(3) == "temporary");
}

namespace {

const std::string operation = "torch::autograd::VariableType::(anonymous namespace)::";

// A frozen teacher answers in each of six rounds, and the model that learns after it.
class AnswersStory : public TrainingStory {
public:
    AnswersStory() {
        for (uint64_t run = 100; run <= 600; run += 100) tensors.runs.push_back({run, run + 20});
        steps = {"train.py:40", {50, 150, 250, 350, 450, 550}, 650, "", false};
        answer = tensor_site({operation + "addmm(at::Tensor)", net_forward, main_frame});
        student = recorded(operation + "addmm(at::Tensor)", net_forward);
        difference = recorded(operation + "sub_Tensor(at::Tensor)", line_of_loss);
        residual = recorded(operation + "add_Tensor(at::Tensor)", net_forward);
    }

    // `loss`: what computes the loss of the student's answer.
    void train(uint32_t loss, uint64_t answer_lives) {
        for (const uint64_t begin : steps.begins) {
            life(answer, begin + 10, begin + 10 + answer_lives, 4000);
            life(student, begin + 20, begin + 60, 4000);
            life(loss, begin + 30, begin + 60, 4000);
        }
    }
    // The kind of the third round's first tensor at this moment after its begin.
    TrainingKind kind_at(uint64_t after) const {
        const TrainingSites sites(recording.model, recording.symbols);
        const TrainingKinds kinds = tensor_kinds(tensors, sites, {0}, steps.begins);
        return kinds.at(6, steps.begins.at(2) + after);
    }

    uint32_t answer = 0, student = 0, difference = 0, residual = 0;

private:
    uint32_t recorded(const std::string& function, const std::string& line) {
        const uint32_t call = stack({function, line, "py:<module> /home/me/train.py:50"});
        tensor_site(stack({"torch::autograd::set_history(at::Tensor)"}, call));
        return tensor_site(stack({"c10::alloc_cpu(unsigned long)"}, call));
    }
};

constexpr uint64_t before_pass = 45, behind_pass = 75, replaced = 110;

}  // namespace

TEST_CASE("kept_results: answers of a frozen model that are subtracted are not saved") {
    AnswersStory story;
    story.train(story.difference, replaced);
    CHECK(story.kind_at(before_pass) == TrainingKind::temporary);
    CHECK(story.kind_at(behind_pass) == TrainingKind::temporary);
}

TEST_CASE("kept_results: other answers may be saved until the backward pass ends") {
    AnswersStory story;
    story.train(story.residual, replaced);
    CHECK(story.kind_at(before_pass) == TrainingKind::activation);
    CHECK(story.kind_at(behind_pass) == TrainingKind::temporary);
}

TEST_CASE("kept_results: an answer that goes with the pass was saved for it") {
    AnswersStory story;
    story.train(story.difference, 55);
    CHECK(story.kind_at(before_pass) == TrainingKind::activation);
}

TEST_CASE("kept_results: what is computed of an answer is one, and is subtracted in its place") {
    AnswersStory story;
    const uint32_t softmax = story.tensor_site({operation + "_softmax(at::Tensor)", main_frame});
    for (const uint64_t begin : story.steps.begins) {
        story.life(story.answer, begin + 10, begin + 120, 4000);
        story.life(softmax, begin + 12, begin + 125, 4000);
        story.life(story.difference, begin + 30, begin + 60, 4000);
    }
    const Words words = story.kinds();
    CHECK(words.at(6) == "activation");
    CHECK(words.at(7) == "temporary");
}

TEST_CASE("kept_results: in inference mode no function of autograd is in the stack") {
    AnswersStory story;
    story.answer = story.tensor_site({"at::_ops::addmm::call(at::Tensor)", net_forward});
    story.train(story.difference, replaced);
    CHECK(story.kind_at(before_pass) == TrainingKind::temporary);
}

TEST_CASE("kept_results: a loss that is computed for a metric is no model that goes forward") {
    for (const bool is_model : {false, true}) {
        ResultsStory story;
        const std::string loss = "py:cross_entropy " + torch_path + "/nn/functional.py:3500";
        const uint32_t before = story.tensor_site({mul, is_model ? net_forward : loss, main_frame});
        for (const uint64_t begin : story.steps.begins) {
            story.life(story.recorded, begin + 10, begin + 60);
            story.life(before, begin + 80, begin + 81);
            story.life(story.aside, begin + 90, begin + 240);
        }
        const Words words = story.kinds();
        CHECK((words.at(8) == "temporary") == !is_model);
    }
}

TEST_CASE("kept_results: a result of the round before is saved while a loss compares it") {
    for (const bool is_alone : {true, false}) {
        AnswersStory story;
        const uint32_t call = story.stack({operation + "mse_loss(at::Tensor)", main_frame});
        story.tensor_site(story.stack({"torch::autograd::set_history(at::Tensor)"}, call));
        const uint32_t loss =
            story.tensor_site(story.stack({"c10::alloc_cpu(unsigned long)"}, call));
        const uint32_t last =
            story.tensor_site({operation + "mul_Tensor(at::Tensor)", line_of_loss});
        const uint32_t batch =
            story.tensor_site({main_frame}, "at::_ops::randn::call(c10::ArrayRef)");
        for (const uint64_t begin : story.steps.begins) {
            story.life(batch, begin + 5, begin + 75, is_alone ? 3000 : 4000);
            story.life(story.student, begin + 20, begin + 60, 4000);
            story.life(loss, begin + 30, begin + 31, 4000);
            story.life(last, begin + 80, begin + 185, 4000);
        }
        const TrainingSites sites(story.recording.model, story.recording.symbols);
        const TrainingKinds kinds = tensor_kinds(story.tensors, sites, {0}, story.steps.begins);
        const auto kind_at = [&](uint64_t time) { return kinds.at(7, time); };  // of round 2
        CHECK(story.tensors.lives[7].site == last);
        CHECK(kind_at(240) == TrainingKind::temporary);
        CHECK((kind_at(285) == TrainingKind::activation) == is_alone);
        CHECK(kind_at(312) == TrainingKind::temporary);
        CHECK_FALSE(kinds.outlives_graph(7));
    }
}

TEST_CASE("kept_results: what forward() computes of a detached tensor is saved in its place") {
    for (const bool is_instead : {true, false}) {
        AnswersStory story;
        const uint32_t scaled =
            story.tensor_site({operation + "div_Tensor(at::Tensor)", net_forward, main_frame});
        const uint32_t call = story.stack({operation + "addmm(at::Tensor)", net_forward});
        const auto of_call = [&](const std::string& function) {
            return story.tensor_site(story.stack({function}, call));
        };
        const uint32_t detached = of_call("c10::alloc_cpu(unsigned long)");
        const uint32_t node = of_call("operator new(unsigned long)");
        of_call("torch::autograd::set_history(at::Tensor)");
        for (const uint64_t begin : story.steps.begins) {
            story.life(detached, begin + 10, begin + 110, 4000);
            story.tensors.others.push_back(
                {.born = begin + 9, .died = begin + 12, .bytes = 64, .site = node});
            story.life(scaled, begin + 20, begin + 60, is_instead ? 4000 : 3000);
            story.life(story.residual, begin + 30, begin + 61, 4000);
        }
        const TrainingSites sites(story.recording.model, story.recording.symbols);
        const TrainingKinds kinds = tensor_kinds(story.tensors, sites, {0}, story.steps.begins);
        CHECK((kinds.at(6, 295) == TrainingKind::temporary) == is_instead);
        CHECK(kinds.at(6, 255 + 70) == TrainingKind::temporary);
    }
}
