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
    CHECK(curves.of(history).born_blocks == Values{1, 3});
    CHECK(curves.begin_ns(1) == 1'000'000'000);
    CHECK(curves.longest_pause_ns(curve, 0, 2) == 3'000'000'000);
    CHECK(curves.longest_pause_ns(curve, 0, 1) == 0);
}

namespace {

// A run of 40 slices of a second, of which [quiet, end) have a few events only.
Model quiet_run(uint32_t quiet, uint32_t end) {
    std::vector<RunSlice> slices;
    for (uint32_t i = 0; i < 40; ++i) {
        const bool is_quiet = i >= quiet && i < end;
        slices.push_back({(i + 1) * 1'000'000'000ull, 0, is_quiet ? 4u : 10'000u});
    }
    return model_with(slices);
}

// Keeps so many blocks in each of these slices.
void keep(SiteHistory& history, uint32_t begin, uint32_t end, uint64_t each) {
    uint64_t blocks = history.held.empty() ? 0 : history.held.back().blocks;
    for (uint32_t i = begin; i < end; ++i) {
        blocks += each;
        history.held.push_back({i, blocks * 100, blocks, blocks});
        history.born.push_back({i, each * 100, each});
    }
}

}  // namespace

TEST_CASE("after a busy start a service is no idle time if it keeps what it takes") {
    Model model = quiet_run(20, 40);
    SiteHistory loaded, leak;
    keep(loaded, 0, 20, 4000);
    keep(leak, 20, 40, 3);
    model.spaces[0].history.born = loaded.born;
    for (const BornPoint& born : leak.born) model.spaces[0].history.born.push_back(born);
    const GrowthCurves curves(model);
    CHECK(curves.size() == 40);
    const Curve curve = curves.of(leak);
    CHECK(curves.worked_in(curve).size() == 40);
    const Judgement found = judge(curves, curve);
    CHECK(found.verdict == Verdict::leak);
    CHECK(found.since >= 18);
    CHECK(rate_of(curves, curve, found).bytes_per_hour == Approx(300 * 3600));
    // The start keeps nothing in that time, so it cannot be told to be over.
    CHECK(curves.worked_in(curves.of(loaded)).size() == 21);
}

TEST_CASE("a night in which something else keeps a little is no plateau") {
    Model model = quiet_run(15, 30);
    SiteHistory requests, heartbeats;
    keep(requests, 0, 15, 1000);
    keep(requests, 30, 40, 1000);
    keep(heartbeats, 0, 40, 1);
    model.spaces[0].history.born = requests.born;
    for (uint32_t i = 15; i < 30; ++i) model.spaces[0].history.born.push_back({i, 100, 1});
    const GrowthCurves curves(model);
    CHECK(curves.size() == 40);
    CHECK(judge(curves, curves.of(requests)).verdict == Verdict::leak);
    CHECK(judge(curves, curves.of(requests)).until == 40);
    CHECK(judge(curves, curves.of(heartbeats)).verdict == Verdict::leak);
    CHECK(curves.worked_in(curves.of(requests)).size() == 25);
    CHECK(curves.worked_in(curves.of(heartbeats)).size() == 40);
}

TEST_CASE("the rate by hour is what was kept divided by the time over which it was kept") {
    std::vector<RunSlice> slices;
    for (uint64_t i = 1; i <= 20; ++i) {
        // Every fifth step takes ten times as long.
        const uint64_t end = slices.empty() ? 0 : slices.back().end_ns;
        slices.push_back({end + (i % 5 == 0 ? 10 : 1) * 1'000'000'000ull, 1, 100});
    }
    const Model model = model_with(slices, "step #");
    SiteHistory history;
    keep(history, 0, 20, 1);
    const GrowthCurves curves(model);
    const Curve curve = curves.of(history);
    const GrowthRate rate = rate_of(curves, curve, judge(curves, curve));
    CHECK(rate.bytes_per_step == Approx(100));
    CHECK(rate.bytes_per_hour == Approx(1900.0 / 55 * 3600));
}

TEST_CASE("what was there before the first step did not grow in the steps") {
    std::vector<RunSlice> slices{{1000, 0, 100}};
    for (uint64_t i = 1; i <= 12; ++i) slices.push_back({1000 + i * 10, 1, 100});
    const Model model = model_with(slices, "step #");
    SiteHistory start, both;
    keep(start, 0, 1, 500);
    keep(both, 0, 13, 10);
    const GrowthCurves curves(model);
    CHECK_FALSE(curves.keeps_in_work(start));
    CHECK(curves.keeps_in_work(both));
    const Judgement found = judge(curves, curves.of(both));
    CHECK(found.verdict == Verdict::leak);
    CHECK(found.since == 1);
    CHECK(found.grown_blocks == 120);
}

TEST_CASE("of steps none is left out, and they are counted on") {
    const Model model = model_with({{10, 0, 100}, {20, 2, 0}, {30, 2, 100}}, "step #");
    const GrowthCurves curves(model);
    CHECK(curves.by_steps());
    CHECK(curves.steps() == Values{0, 2, 4});
}

TEST_CASE("slices that were cut for a page make no difference") {
    const Model whole = model_with({{20, 0, 100}, {30, 2, 5}}, "step #");
    const Model parts = model_with(
        {{10, 0, 40, true}, {20, 0, 60}, {25, 0, 1, true}, {30, 2, 4}, {40, 0, 9, false, true}},
        "step #");
    SiteHistory of_whole, of_parts;
    of_whole.held = {{0, 10, 1, 2}, {1, 30, 3, 4}};
    of_whole.born = {{0, 10, 1}, {1, 20, 2}};
    of_parts.held = {{0, 5, 1, 1}, {1, 10, 1, 2}, {2, 20, 2, 3}, {3, 30, 3, 4}, {4, 99, 9, 9}};
    of_parts.born = {{0, 5, 0}, {1, 5, 1}, {3, 20, 2}};
    const GrowthCurves a(whole), b(parts);
    CHECK(a.seconds() == b.seconds());
    CHECK(a.steps() == b.steps());
    CHECK(a.end_ns(1) == b.end_ns(1));
    const Curve left = a.of(of_whole), right = b.of(of_parts);
    CHECK(left.bytes == right.bytes);
    CHECK(left.allocations == right.allocations);
    CHECK(left.born_bytes == right.born_bytes);
    CHECK(a.of(of_whole).born_blocks == b.of(of_parts).born_blocks);
    CHECK(b.last_of(of_parts).bytes == 30);
    CHECK(b.count_of(of_parts.held) == a.count_of(of_whole.held));
    CHECK(b.count_of(of_parts.born) == a.count_of(of_whole.born));
    CHECK(b.whole_of(0) == 0);
    CHECK(b.whole_of(2) == 1);
}

TEST_CASE("a step that was cut for a page takes as long as before, and ends when it did") {
    const auto found = [](Model model) {
        model.slices.is_found = true;
        return model;
    };
    // The last step reaches far beyond its work, and the program waits in it.
    const Model whole = found(model_with({{10, 1, 50}, {20, 1, 50}, {30, 1, 50}, {90, 1, 2}}, "f"));
    const Model parts = found(model_with({{4, 0, 20, true},
                                          {10, 1, 30},
                                          {11, 0, 10, true},
                                          {13, 0, 10, true},
                                          {20, 1, 30},
                                          {30, 1, 50},
                                          {31, 0, 1, true},
                                          {80, 0, 0, true},
                                          {90, 1, 1}},
                                         "f"));
    SiteHistory of_whole, of_parts;
    of_whole.born = {{0, 10, 1}, {3, 20, 2}};
    of_parts.born = {{1, 10, 1}, {8, 20, 2}};
    const GrowthCurves a(whole), b(parts);
    const size_t n = a.size();
    REQUIRE(b.size() == n);
    CHECK(a.done_ns_of(n - 1) == 50);
    for (size_t i = 0; i < n; ++i) CHECK(b.done_ns_of(i) == a.done_ns_of(i));
    CHECK(b.last_birth_ns(of_parts, n) == a.last_birth_ns(of_whole, n));
    for (uint64_t ns = 0; ns < 100; ns += 5) CHECK(b.is_quiet_after(ns) == a.is_quiet_after(ns));
    CHECK(a.is_quiet_after(45));
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

TEST_CASE("a step that was found ends with its work, and not when the next one begins") {
    std::vector<RunSlice> slices;
    for (uint64_t i = 1; i <= 9; ++i) slices.push_back({i * 10, 1, 5});
    slices.push_back({1000, 1, 5});  // The loop was over after this step.
    Model model = model_with(slices, "main.cpp:7");
    model.slices.is_found = true;
    SiteHistory history;
    for (uint32_t i = 0; i < 10; ++i) history.born.push_back({i, 1, 1});
    CHECK(GrowthCurves(model).last_birth_ns(history, 10) == 110);
    CHECK(GrowthCurves(model).last_birth_ns(history, 9) == 90);
    CHECK(GrowthCurves(model).is_quiet_after(110));
    model.slices.is_found = false;  // a mark has an end
    CHECK(GrowthCurves(model).last_birth_ns(history, 10) == 1000);
}

TEST_CASE("after growth a program is quiet if it allocates twenty times less") {
    const auto quiet = [](uint64_t events) {
        const Model model = model_with({{100, 0, 1000}, {200, 0, events}});
        return GrowthCurves(model).is_quiet_after(100);
    };
    CHECK(quiet(0));
    CHECK(quiet(40));
    CHECK_FALSE(quiet(60));
    CHECK_FALSE(quiet(1000));
    const Model to_the_end = model_with({{100, 0, 1000}, {200, 0, 1000}});
    CHECK_FALSE(GrowthCurves(to_the_end).is_quiet_after(200));
}

TEST_CASE("the curve of several call sites is the sum of theirs") {
    const Model model = model_with({{10, 0, 100}, {20, 0, 1}, {30, 0, 100}, {40, 0, 100}});
    const GrowthCurves curves(model);
    std::vector<SiteHistory> histories(3);
    histories[0].held = {{0, 100, 1, 1, 100}, {2, 300, 3, 5, 900}};
    histories[0].born = {{0, 100, 1}, {2, 200, 2}};
    histories[1].held = {{1, 50, 5, 9, 90}, {3, 0, 0, 9, 90}};
    histories[2].held = {{3, 7, 1, 1, 7}};
    histories[2].born = {{3, 7, 1}};
    Curve expected;
    for (const uint32_t site : {0, 1, 2}) add(expected, curves.of(histories[site]));
    const Curve sum = curves.sum_of(histories, {0, 1, 2});
    CHECK(sum.at == expected.at);
    CHECK(sum.bytes == expected.bytes);
    CHECK(sum.blocks == expected.blocks);
    CHECK(sum.allocations == expected.allocations);
    CHECK(sum.born_bytes == expected.born_bytes);
    CHECK(sum.born_blocks == expected.born_blocks);
    CHECK(sum.blocks.back() == 4);
}
