// SPDX-License-Identifier: Apache-2.0
//
// Sums that do not fit stay at the greatest number.
#include "analyzer/base/saturating.h"

#include <cmath>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a sum that fits is exact, and one that does not is the greatest number") {
    uint64_t sum = UINT64_MAX - 10;
    CHECK(add_saturating(sum, 10));
    CHECK(sum == UINT64_MAX);
    CHECK(add_saturating(sum, 0));
    CHECK_FALSE(add_saturating(sum, 1));
    CHECK(sum == UINT64_MAX);
    CHECK(saturating_sum({1, 2, 3}) == 6);
    CHECK(saturating_sum({uint64_t{1} << 63, uint64_t{1} << 63, 1}) == UINT64_MAX);
    CHECK(saturating_product(uint64_t{1} << 32, uint64_t{1} << 31) == uint64_t{1} << 63);
    CHECK(saturating_product(uint64_t{1} << 32, uint64_t{1} << 32) == UINT64_MAX);
}

TEST_CASE("a fraction becomes a whole number that exists") {
    CHECK(saturating_whole(12.9) == 12);
    CHECK(saturating_whole(-1) == 0);
    CHECK(saturating_whole(std::nan("")) == 0);
    CHECK(saturating_whole(1e30) == UINT64_MAX);
    CHECK(saturating_whole(18446744073709551616.0) == UINT64_MAX);
}
