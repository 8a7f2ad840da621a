// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_table.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// At the peak, 205, the second backward pass runs. A parameter, an activation and a gradient live.
TrainingStory at_peak() {
    TrainingStory story;
    story.peak_time_ns = 205;
    story.peak_bytes = 1000;
    story.tensors.runs = {{100, 120}, {200, 220}};
    story.life(story.tensor_site({linear_init, net_init, main_frame}), 1, at_end, 40);
    const uint32_t forward = story.tensor_site({net_forward, main_frame});
    story.life(forward, 90, 110, 999);
    story.life(forward, 190, 210, 60);
    story.life(story.tensor_site({engine, main_frame}), 201, 300, 30);
    story.tensors.marks = {{"now", 195}, {"other", 196}, {"now", 305}};
    return story;
}

TrainingTable table_of(const TrainingStory& story, const std::vector<std::string>& marks = {}) {
    const TrainingSites sites(story.recording.model, story.recording.symbols);
    const SiteRows rows(story.recording);
    const TrainingKinds kinds = training_kinds(story.recording.model, sites, story.tensors, {});
    return training_table(story.recording, story.tensors, kinds, sites, rows, story.steps, marks);
}

}  // namespace

TEST_CASE("training_table: kinds and lines of what is alive at the peak") {
    const TrainingTable table = table_of(at_peak());
    CHECK(table.runs == 2);
    REQUIRE(table.spaces.size() == 1);
    const TrainingSpace& host = table.spaces[0];
    CHECK(host.peak_bytes == 1000);
    CHECK(host.tensor_bytes == 130);
    CHECK(host.run == 2);
    CHECK(host.is_in_run);
    REQUIRE(host.kinds.size() == 3);
    CHECK(host.kinds[0].kind == TrainingKind::parameter);
    CHECK(host.kinds[1].kind == TrainingKind::gradient);
    CHECK(host.kinds[2].kind == TrainingKind::activation);
    CHECK(host.kinds[2].sum.bytes == 60);
    for (const KindRow& row : host.kinds) {
        uint64_t bytes = 0;
        for (const KindLine& line : row.lines) bytes += line.sum.bytes;
        CHECK(bytes == row.sum.bytes);
    }
}

TEST_CASE("training_table: all tensors that are alive at a mark") {
    const TrainingTable table = table_of(at_peak(), {"now"});
    REQUIRE(table.moments.size() == 2);
    CHECK(table.moments[0].blocks.size() == 2);
    CHECK(table.moments[0].kinds[static_cast<size_t>(TrainingKind::activation)].bytes == 60);
    CHECK(table.moments[1].blocks.size() == 1);
}

TEST_CASE("training_table: the step of the peak, its stage and its line") {
    TrainingStory story = at_peak();
    story.steps = {"train.py:40", {80, 180, 280}, 400, "", false};
    const TrainingTable table = table_of(story);
    const TrainingSpace& host = table.spaces.at(0);
    CHECK(host.step == 2);
    CHECK(host.stage == TrainingStage::backward);
    REQUIRE(host.row);
    CHECK(host.steps.rows.size() == 3);
}

TEST_CASE("training_table: checkpointing leaves one layer, and what the others begin with") {
    ModuleRow row;
    row.bytes[static_cast<size_t>(TrainingKind::activation)] = 1200;
    row.output_bytes = 20;
    CHECK(row.saved_by_checkpoints() == 0);  // It is not known how many there are.
    row.layers = 12;
    CHECK(row.saved_by_checkpoints() == 1200 - 100 - 11 * 20);
}
