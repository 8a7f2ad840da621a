// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_histories.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what two processes held is added slice by slice") {
    SiteHistory sum{{{0, 100, 1, 1}, {2, 40, 1, 2}}, {{2, 40, 1}}};
    add(sum, SiteHistory{{{1, 7, 1, 1}, {2, 9, 2, 2}}, {{1, 7, 1}, {2, 2, 1}}}, 3);
    REQUIRE(sum.held.size() == 3);
    CHECK(sum.held[0].bytes == 100);
    CHECK(sum.held[1].slice == 1);
    CHECK(sum.held[1].bytes == 107);
    CHECK(sum.held[2].bytes == 49);
    CHECK(sum.held[2].allocations == 4);
    REQUIRE(sum.born.size() == 2);
    CHECK(sum.born[0].bytes == 7);
    CHECK(sum.born[1].bytes == 42);
}

TEST_CASE("what comes after the judged slices is left out of a sum") {
    SiteHistory sum;
    add(sum, SiteHistory{{{0, 100, 1, 1}, {2, 40, 1, 2}}, {{2, 40, 1}}}, 2);
    CHECK(sum.held.size() == 1);
    CHECK(sum.born.empty());

    RunSlices a{{{10, 1, 5}, {20, 2, 5}}, "step #", 3, false, false};
    RunSlices b = a;
    b.slices.push_back({30, 0, 5, false, true});
    CHECK(are_alike(a, b));
    add(a, b);
    CHECK(a.slices.size() == 2);

    Model model;
    model.slices = b;
    model.spaces.resize(1);
    model.spaces[0].history = {{{0, 100, 1, 1}, {2, 40, 1, 2}}, {}};
    model.spaces[0].histories.push_back(model.spaces[0].history);
    leave_out_rest(model);
    CHECK(model.slices.slices.size() == 2);
    CHECK(model.spaces[0].history.held.size() == 1);
    CHECK(model.spaces[0].histories[0].held.size() == 1);
}

TEST_CASE("slices are alike if they stand for the same steps, however long they took") {
    RunSlices a{{{10, 1, 5}, {20, 2, 5}}, "step #", 3, false, false};
    RunSlices b{{{15, 1, 9}, {18, 2, 9}}, "step #", 3, false, true};
    CHECK(are_alike(a, b));
    add(a, b);
    CHECK(a.slices[0].end_ns == 15);
    CHECK(a.slices[1].end_ns == 20);
    CHECK(a.slices[1].events == 14);
    CHECK(a.is_trimmed);
    b.slices[0].steps = 2;
    CHECK_FALSE(are_alike(a, b));
    a.step = b.step = "";
    CHECK_FALSE(are_alike(b, b));  // Times of two processes cannot be compared.
}
