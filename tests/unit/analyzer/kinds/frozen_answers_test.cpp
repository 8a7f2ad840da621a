// SPDX-License-Identifier: Apache-2.0
//
// What a frozen model answers. Backward passes run from 100 to 120, from 200 to 220 and so on.
#include "analyzer/kinds/frozen_answers.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string operations = "torch::autograd::VariableType::(anonymous namespace)::";
const std::string teacher = "py:Teacher.forward /home/me/net.py:70";
const std::string loss_line = "py:<module> /home/me/train.py:44";

// The model that learns makes a tensor of 300 bytes, which the first pass gives back at 110.
class AnswerStory : public TrainingStory {
public:
    AnswerStory() {
        for (uint64_t run = 100; run <= 300; run += 100) tensors.runs.push_back({run, run + 20});
        const uint32_t call = stack({operations + "addmm(at::Tensor)", net_forward, main_frame});
        recorded_ = tensor_site(stack({"c10::alloc_cpu(unsigned long)"}, call));
        tensor_site(stack({"torch::autograd::set_history(at::Tensor)"}, call));
        answer_ = tensor_site({teacher, main_frame}, operations + "addmm(at::Tensor)");
    }

    // Returns the index of the life.
    size_t answer(uint64_t born, uint64_t died, uint64_t bytes = 100) {
        life(answer_, born, died, bytes);
        return tensors.lives.size() - 1;
    }
    size_t computed(const std::string& operation, uint64_t born, uint64_t died, uint64_t bytes,
                    const std::string& outside = "") {
        std::vector<std::string> frames{operations + operation};
        if (!outside.empty()) frames.push_back(outside);
        frames.push_back(loss_line);
        life(tensor_site(frames), born, died, bytes);
        return tensors.lives.size() - 1;
    }
    void learn(uint64_t bytes = 300) { life(recorded_, 60, 110, bytes); }

    // Calls look(answers).
    void look_at(auto&& look) const {
        const TrainingSites sites(recording.model, recording.symbols);
        const std::vector<size_t> spaces{0};
        const LifeFacts lives(tensors, sites, spaces);
        const std::vector<uint64_t> releases = releases_of_runs(lives);
        look(FrozenAnswers(lives, releases));
    }

private:
    uint32_t recorded_ = 0, answer_ = 0;
};

}  // namespace

TEST_CASE("frozen_answers: an answer is needed until the pass has given back what was saved") {
    AnswerStory story;
    const size_t kept = story.answer(30, 150), saved = story.answer(31, 110);
    const size_t next_time = story.answer(32, 250);
    story.learn();
    story.look_at([&](const FrozenAnswers& answers) {
        CHECK(answers.contains(kept));
        CHECK(answers.is_kept(kept));
        CHECK(answers.needed_until(kept) == 110);
        CHECK_FALSE(answers.is_unsaved(kept));
        CHECK_FALSE(answers.is_kept(saved));
        CHECK_FALSE(answers.is_kept(next_time));  // The second pass may need it.
    });
}

TEST_CASE("frozen_answers: cosine_similarity saves what it makes of each, and not the answers") {
    AnswerStory story;
    const size_t first = story.answer(30, 150), second = story.answer(31, 150);
    const std::string cosine = "at::_ops::cosine_similarity::call(at::Tensor)";
    story.learn();
    story.computed("div_Tensor(at::Tensor)", 70, 111, 100, cosine);
    story.look_at([&](const FrozenAnswers& answers) {
        CHECK_FALSE(answers.is_unsaved(first));
        CHECK(answers.is_unsaved(second));
    });
    story.computed("div_Tensor(at::Tensor)", 71, 112, 100, cosine);
    story.look_at([&](const FrozenAnswers& answers) { CHECK(answers.is_unsaved(first)); });
}

TEST_CASE("frozen_answers: what is put together of answers, or reduced from one, is one") {
    AnswerStory story;
    story.answer(30, 40);
    story.answer(31, 40);
    const size_t joined = story.computed("cat(at::Tensor)", 33, 150, 200);
    const size_t other = story.computed("cat(at::Tensor)", 34, 150, 250);
    const size_t mean = story.computed("mean_dim(at::Tensor)", 35, 150, 50);
    story.learn();
    story.look_at([&](const FrozenAnswers& answers) {
        CHECK(answers.contains(joined));
        CHECK(answers.contains(mean));
        CHECK_FALSE(answers.contains(other));
    });
}

TEST_CASE(
    "frozen_answers: what is reduced is not saved, unless the graph has tensors of its size") {
    for (const uint64_t bytes : {300, 100}) {
        AnswerStory story;
        const size_t answer = story.answer(30, 150);
        story.computed("mean_dim(at::Tensor)", 35, 150, 50);
        story.learn(bytes);
        story.look_at([&](const FrozenAnswers& answers) {
            CHECK(answers.is_unsaved(answer) == (bytes == 300));
            CHECK(answers.is_doubtful(answer) == (bytes == 100));
        });
    }
}

TEST_CASE("frozen_answers: what gets a gradient in the pass is a leaf of its graph alone") {
    AnswerStory story;
    const size_t leaf = story.answer(30, 250);
    story.learn();
    story.life(story.tensor_site({engine, main_frame}), 105, 250, 100);
    story.look_at([&](const FrozenAnswers& answers) { CHECK(answers.needed_until(leaf) == 110); });
}
