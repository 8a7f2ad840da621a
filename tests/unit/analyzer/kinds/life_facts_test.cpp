// SPDX-License-Identifier: Apache-2.0
//
// Backward passes run from 100 to 120 and from 200 to 220.
#include "analyzer/kinds/life_facts.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

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
