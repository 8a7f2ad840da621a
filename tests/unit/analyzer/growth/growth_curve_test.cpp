// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_curve.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a slope is the median of all slopes: a few wild points do not bend it") {
    Values at, values;
    for (int i = 0; i < 50; ++i) {
        at.push_back(i);
        values.push_back(3.0 * i + (i % 10 == 0 ? 1000 : 0));
    }
    const Slope slope = slope_of(at, values, 0, 50);
    CHECK(slope.value == Approx(3));
    CHECK(slope.low <= 3);
    CHECK(slope.high >= 3);
    CHECK(slope.high - slope.low < 50);
    CHECK(slope_of(at, values, 7, 8).value == 0);
}

TEST_CASE("sums, peaks, falls and floors of some slices") {
    const Values values{5, 1, 4, 2, 8, 7};
    CHECK(sum_of(values, 1, 4) == 7);
    CHECK(highest_of(values, 0, 4) == 5);
    CHECK(highest_of(values, 3, 3) == 0);
    CHECK(deepest_fall(values, 0, 6) == 4);
    CHECK(deepest_fall(values, 2, 6) == 2);
    CHECK(median_of({3, 1, 2}) == 2);
    CHECK(median_of({}) == 0);
    CHECK(floor_of(values) == Values{1, 1, 2, 2, 7, 7});
}

TEST_CASE("curves of the same slices add up") {
    Curve sum;
    const Curve part{{1, 2}, {10, 20}, {1, 2}, {1, 1}, {10, 10}, {1, 1}};
    add(sum, part);
    add(sum, part);
    CHECK(sum.at == Values{1, 2});
    CHECK(sum.bytes == Values{20, 40});
    CHECK(sum.born_blocks == Values{2, 2});
}

TEST_CASE("a sample changes by ten blocks by chance, and by eight deviations") {
    CHECK(is_chance_of_sample(900, {}, 100));
    CHECK(is_chance_of_sample(900, {0, 900, 100}, 100));
    CHECK_FALSE(is_chance_of_sample(1100, {0, 1100, 100}, 100));
    // Of 400 blocks the deviation is 20.
    CHECK(is_chance_of_sample(15'000, {0, 40'000, 32'500, 47'500}, 100));
    CHECK_FALSE(is_chance_of_sample(17'000, {0, 40'000, 31'500, 48'500}, 100));
}

TEST_CASE("what arose at the same times is alike, however much it is") {
    CHECK(are_alike({1, 1, 1, 1}, {90, 90, 90, 90}));
    CHECK_FALSE(are_alike({400, 0, 0, 0}, {0, 0, 0, 400}));
    CHECK_FALSE(are_alike({0, 0}, {1, 1}));
}
