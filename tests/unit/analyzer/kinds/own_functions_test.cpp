// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/own_functions.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string train = "py:train /home/me/train.py:30";
const std::string step = "py:Shampoo.step /home/me/shampoo.py:20";
const std::string inner = "py:Shampoo.step.<locals>.<listcomp> /home/me/shampoo.py:21";
const std::string root = "py:root /home/me/shampoo.py:5";

// Sites by number, and what is told of them.
class FunctionsStory : public TrainingStory {
public:
    size_t count(uint32_t site) const {
        const TrainingSites sites(recording.model, recording.symbols);
        return sites.own_functions(sites.of(0, site)).size();
    }
    TrainingCode code(uint32_t site) const {
        return TrainingSites(recording.model, recording.symbols).of(0, site).code;
    }
};

}  // namespace

TEST_CASE("own_functions: what calls a forward or a backward pass is none of them") {
    FunctionsStory story;
    const uint32_t forward = story.tensor_site({net_forward, train, main_frame});
    const uint32_t backward = story.tensor_site({engine, train, main_frame});
    const uint32_t of_step = story.tensor_site({root, inner, step, train, main_frame});
    const uint32_t of_train = story.tensor_site({train, main_frame});
    CHECK(story.count(forward) == 0);
    CHECK(story.count(backward) == 0);
    CHECK(story.count(of_train) == 0);
    CHECK(story.count(of_step) == 3);  // root, Shampoo.step, Shampoo
}

TEST_CASE("own_functions: a comprehension of a module belongs to the module") {
    FunctionsStory story;
    story.tensor_site({net_forward, main_frame});
    const uint32_t made = story.tensor_site({"py:<dictcomp> /home/me/train.py:44", main_frame});
    CHECK(story.count(made) == 0);
}

TEST_CASE("own_functions: a class that goes backward in one method is none, its others are") {
    FunctionsStory story;
    story.tensor_site({engine, "py:Shampoo.estimate /home/me/shampoo.py:40", train, main_frame});
    CHECK(story.count(story.tensor_site({step, train, main_frame})) == 1);
}

TEST_CASE("own_functions: hooks are, and a function of autograd that goes backward is not") {
    FunctionsStory story;
    const uint32_t hook = story.tensor_site({"py:keep /home/me/net.py:9", engine, train});
    const uint32_t function = story.tensor_site({"py:Exp.backward /home/me/net.py:9", engine});
    CHECK(story.count(hook) == 1);
    CHECK(story.count(function) == 0);
}

TEST_CASE("own_functions: a thread in which nothing goes forward makes data") {
    FunctionsStory story;
    const std::string bootstrap = "py:Thread._bootstrap /usr/lib/python3.11/threading.py:900";
    const uint32_t made =
        story.tensor_site({"py:mix /home/me/data.py:7", "py:fill /home/me/data.py:3", bootstrap});
    const uint32_t trained = story.tensor_site({"py:mix /home/me/data.py:7", train, bootstrap});
    story.tensor_site({net_forward, train, bootstrap});
    const uint32_t in_main = story.tensor_site({"py:mix /home/me/data.py:7", main_frame});
    CHECK(story.code(made) == TrainingCode::loader);
    CHECK(story.code(trained) == TrainingCode::none);
    CHECK(story.code(in_main) == TrainingCode::none);
}
