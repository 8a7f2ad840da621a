// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/site_histories.h"

#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

SiteHistory random_history(std::mt19937_64& random) {
    const auto number = [&] { return random() >> (random() % 64); };
    SiteHistory history;
    if (random() % 3 == 0) return history;
    uint32_t slice = 0;
    for (uint64_t i = random() % 6; i > 0; --i) {
        slice += static_cast<uint32_t>(random() % 40);
        history.held.push_back({slice, number(), number(), number()});
    }
    slice = 0;
    for (uint64_t i = random() % 6; i > 0; --i) {
        slice += static_cast<uint32_t>(random() % 40);
        history.born.push_back({slice, number(), number()});
    }
    return history;
}

bool are_equal(const SiteHistory& a, const SiteHistory& b) {
    const auto same_held = [](const HeldPoint& x, const HeldPoint& y) {
        return x.slice == y.slice && x.bytes == y.bytes && x.blocks == y.blocks &&
               x.allocations == y.allocations;
    };
    const auto same_born = [](const BornPoint& x, const BornPoint& y) {
        return x.slice == y.slice && x.bytes == y.bytes && x.blocks == y.blocks;
    };
    return std::equal(a.held.begin(), a.held.end(), b.held.begin(), b.held.end(), same_held) &&
           std::equal(a.born.begin(), a.born.end(), b.born.begin(), b.born.end(), same_born);
}

}  // namespace

TEST_CASE("packed histories are read as they were written, in any order") {
    std::mt19937_64 random(1);
    std::vector<SiteHistory> written;
    SiteHistories packed;
    for (size_t i = 0; i < 3000; ++i) {
        written.push_back(random_history(random));
        packed.push_back(written.back());
    }
    packed.shrink_to_fit();
    REQUIRE(packed.size() == written.size());
    for (size_t i = 0; i < 10'000; ++i) {
        const size_t site = random() % written.size();
        REQUIRE(are_equal(packed[site], written[site]));
    }
    size_t site = 0;
    for (const SiteHistory& history : packed) REQUIRE(are_equal(history, written[site++]));
    CHECK(site == written.size());
}

TEST_CASE("no histories are an empty list") {
    const SiteHistories none;
    CHECK(none.empty());
    for (const SiteHistory& history : none) FAIL(history.held.size());
}
