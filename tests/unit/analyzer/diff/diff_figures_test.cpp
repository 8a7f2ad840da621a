// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_figures.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("diff figures: what is held at the end is what reports call held") {
    Story story = training();
    const Space& space = story.space("host");
    const Model& model = story.recording.model;
    DiffFigures figures = figures_of(space.totals, model, space);
    CHECK(figures.held_bytes == space.totals.live_bytes);
    CHECK(figures.peak_blocks == space.totals.at_peak_blocks);
    story.recording.model.process.work_end_ns = 5;
    story.space("host").totals.held_bytes += 4096;
    CHECK(figures_of(space.totals, model, space).held_bytes == space.totals.held_bytes);
}

TEST_CASE("diff figures: steps begin after the first slice") {
    SiteHistory history;
    history.held = {{0, 100, 1, 1, 100}, {3, 150, 2, 5, 400}, {7, 50, 1, 9, 900}};
    DiffFigures figures;
    add_steps(figures, history);
    CHECK(figures.step_bytes == 800);
    CHECK(figures.step_allocations == 8);
    SiteHistory late;
    late.held = {{4, 10, 1, 2, 20}};
    add_steps(figures, late);
    CHECK(figures.step_bytes == 820);
    add_steps(figures, SiteHistory{});
    CHECK(figures.step_allocations == 10);
}

TEST_CASE("diff figures add up field by field") {
    DiffFigures sum{1, 2, 3, 4, 5, 6, 7, 8};
    add(sum, DiffFigures{10, 20, 30, 40, 50, 60, 70, 80});
    CHECK(sum == DiffFigures{11, 22, 33, 44, 55, 66, 77, 88});
}
