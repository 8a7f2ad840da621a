// SPDX-License-Identifier: Apache-2.0
//
// A map from pairs of numbers, as a plain map has it.
#include "analyzer/base/pair_map.h"

#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a pair is new once, and keeps its value") {
    PairMap<int> map;
    const auto [value, is_new] = map.try_emplace(7, 3, 10);
    CHECK(is_new);
    CHECK(value == 10);
    CHECK_FALSE(map.try_emplace(7, 3, 20).second);
    CHECK(map.try_emplace(7, 3, 20).first == 10);
    CHECK(map.try_emplace(3, 7, 30).second);  // the other way round
    CHECK(map.size() == 2);
}

TEST_CASE("numbers with few pairs and with many have all of them") {
    PairMap<uint64_t> map;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> plain;
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const uint32_t first = random() % 100;
        const uint32_t second = random() % (1 + first * first);
        map.try_emplace(first, second, 0).first += 1;
        plain[{first, second}] += 1;
    }
    CHECK(map.size() == plain.size());
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> visited;
    map.for_each([&](uint32_t first, uint32_t second, uint64_t value) {
        CHECK(visited.try_emplace({first, second}, value).second);
    });
    CHECK(visited == plain);
}
