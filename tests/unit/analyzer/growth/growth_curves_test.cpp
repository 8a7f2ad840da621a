// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_curves.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Model model_with(const std::vector<RunSlice>& slices, const std::string& step = "") {
    Model model;
    model.slices.slices = slices;
    model.slices.step = step;
    model.spaces.emplace_back();
    return model;
}

}  // namespace

TEST_CASE("a pause is no slice: the next one with work stands for it") {
    const Model model = model_with({{1'000'000'000, 0, 100},
                                    {2'000'000'000, 0, 0},
                                    {3'000'000'000, 0, 1},
                                    {4'000'000'000, 0, 100}});
    const GrowthCurves curves(model);
    REQUIRE(curves.size() == 2);
    CHECK(curves.seconds() == Values{1, 4});
    SiteHistory history;
    history.held = {{0, 10, 1, 1}, {2, 30, 3, 3}, {3, 40, 4, 4}};
    history.born = {{0, 10, 1}, {2, 20, 2}, {3, 10, 1}};
    const Curve curve = curves.of(history);
    CHECK(curve.bytes == Values{10, 40});
    CHECK(curve.allocations == Values{1, 3});
    CHECK(curve.born_blocks == Values{1, 3});
    CHECK(curves.born_blocks(history) == Values{1, 3});
    CHECK(curves.begin_ns(1) == 1'000'000'000);
    CHECK(curves.longest_pause_ns(curve, 0, 2) == 3'000'000'000);
    CHECK(curves.longest_pause_ns(curve, 0, 1) == 0);
}

TEST_CASE("of steps none is left out, and they are counted on") {
    const Model model = model_with({{10, 0, 100}, {20, 2, 0}, {30, 2, 100}}, "step #");
    const GrowthCurves curves(model);
    CHECK(curves.by_steps());
    CHECK(curves.steps() == Values{0, 2, 4});
}

TEST_CASE("the program does the same as before if the same call sites are as busy") {
    Model model = model_with({{1, 0, 100}, {2, 0, 100}, {3, 0, 100}, {4, 0, 100}});
    SiteHistory loop, cache, results;
    loop.held = {{0, 0, 0, 100}, {1, 0, 0, 200}, {2, 0, 0, 300}, {3, 0, 0, 400}};
    cache.held = {{0, 0, 0, 50}, {1, 0, 0, 100}};
    model.spaces[0].histories = {loop, cache};
    CHECK(GrowthCurves(model).is_same_work(0, 2));
    loop.held.resize(2);
    results.held = {{2, 0, 0, 90}, {3, 0, 0, 190}};
    model.spaces[0].histories = {loop, cache, results};
    CHECK_FALSE(GrowthCurves(model).is_same_work(0, 2));
}

TEST_CASE("what is before the work is one slice") {
    const Model model = model_with({{1'000'000'000, 0, 100},
                                    {2'000'000'000, 0, 100},
                                    {3'000'000'000, 0, 100},
                                    {4'000'000'000, 0, 100}});
    const GrowthCurves curves(model, 2);
    CHECK(curves.seconds() == Values{2, 3, 4});
    SiteHistory history;
    history.held = {{0, 10, 1, 1}, {1, 30, 3, 3}, {3, 40, 4, 4}};
    history.born = {{0, 10, 1}, {1, 20, 2}, {3, 10, 1}};
    CHECK(curves.of(history).born_blocks == Values{3, 0, 1});
}
