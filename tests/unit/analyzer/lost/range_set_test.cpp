// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/range_set.h"

#include <random>
#include <set>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;

namespace {

std::vector<std::pair<uint64_t, uint64_t>> pairs_of(const std::vector<LostRange>& ranges) {
    std::vector<std::pair<uint64_t, uint64_t>> pairs;
    for (const LostRange& range : ranges) pairs.emplace_back(range.begin, range.end);
    return pairs;
}

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

}  // namespace

TEST_CASE("ranges that touch or overlap become one") {
    RangeSet set;
    set.add({10, 20});
    set.add({30, 40});
    set.add({20, 25});
    CHECK(pairs_of(set.ranges()) == Pairs{{10, 25}, {30, 40}});
    set.add({24, 30});
    CHECK(pairs_of(set.ranges()) == Pairs{{10, 40}});
    set.add({5, 5});
    CHECK(pairs_of(set.ranges()) == Pairs{{10, 40}});
}

TEST_CASE("a range is cut into what is in the set and what is not") {
    RangeSet set;
    set.add({10, 20});
    set.add({30, 40});
    CHECK(pairs_of(set.common({0, 100})) == Pairs{{10, 20}, {30, 40}});
    CHECK(pairs_of(set.missing({0, 100})) == Pairs{{0, 10}, {20, 30}, {40, 100}});
    CHECK(pairs_of(set.common({15, 35})) == Pairs{{15, 20}, {30, 35}});
    CHECK(pairs_of(set.missing({12, 18})).empty());
    CHECK(pairs_of(set.common({10, 11})) == Pairs{{10, 11}});
    CHECK(set.common({20, 21}).empty());
}

TEST_CASE("cuts agree with a set of single numbers") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        RangeSet set;
        std::set<uint64_t> numbers;
        for (int i = 0; i < 8; ++i) {
            const uint64_t begin = random() % 60, end = begin + random() % 12;
            set.add({begin, end});
            for (uint64_t at = begin; at < end; ++at) numbers.insert(at);
        }
        const uint64_t begin = random() % 60, end = begin + random() % 40;
        std::set<uint64_t> common, missing;
        for (const LostRange& part : set.common({begin, end})) {
            for (uint64_t at = part.begin; at < part.end; ++at) common.insert(at);
        }
        for (const LostRange& part : set.missing({begin, end})) {
            for (uint64_t at = part.begin; at < part.end; ++at) missing.insert(at);
        }
        for (uint64_t at = begin; at < end; ++at) {
            REQUIRE(common.contains(at) == numbers.contains(at));
            REQUIRE(missing.contains(at) != numbers.contains(at));
        }
        REQUIRE(common.size() + missing.size() == end - begin);
    }
}
