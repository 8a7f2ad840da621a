// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/live_since.h"

#include <map>
#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("live since a moment: what was acquired behind it and is not released") {
    LiveSince live;
    live.acquire(1, 10);  // 1
    live.begin(1);
    live.acquire(1, 20);  // 2
    live.acquire(1, 30);  // 3
    live.begin(3);
    live.acquire(1, 40);  // 4
    CHECK(live.since(1).bytes == 90);
    live.release(1, 1, 10);
    live.release(2, 1, 20);
    CHECK(live.since(0).bytes == 70);
    CHECK(live.since(1).bytes == 70);
    CHECK(live.since(1).blocks == 2);
    CHECK(live.since(3).bytes == 40);
    CHECK(live.between(1, 3).bytes == 30);
}

TEST_CASE("a hundred thousand moments of which nothing is left take no memory") {
    LiveSince live;
    uint64_t number = 0;
    live.acquire(1, 7);  // stays
    ++number;
    for (int i = 0; i < 100'000; ++i) {
        live.begin(number);
        live.acquire(1, 5);
        live.release(++number, 1, 5);
    }
    CHECK(live.piece_count() <= 2);
    CHECK(live.since(0).bytes == 7);
}

TEST_CASE("moments whose blocks live across the next one are dropped when they are empty") {
    LiveSince live;
    uint64_t number = 0;
    size_t most = 0;
    for (int i = 0; i < 100'000; ++i) {
        live.begin(number);
        live.acquire(1, 5);
        if (number > 0) live.release(number, 1, 5);
        ++number;
        most = std::max(most, live.piece_count());
    }
    CHECK(most < 3000);
    CHECK(live.since(0).bytes == 5);
}

TEST_CASE("live since, against a list of all blocks") {
    for (unsigned seed = 0; seed < 30; ++seed) {
        std::mt19937_64 random(seed);
        LiveSince live;
        std::map<uint64_t, uint64_t> blocks;  // bytes by number
        std::vector<uint64_t> moments{0};
        uint64_t number = 0;
        for (int i = 0; i < 4000; ++i) {
            const auto what = random() % 10;
            if (what == 0) {
                live.begin(number);
                moments.push_back(number);
            } else if (what < 6 || blocks.empty()) {
                blocks[++number] = random() % 50;
                live.acquire(1, blocks[number]);
            } else {
                const auto block =
                    std::next(blocks.begin(), static_cast<long>(random() % blocks.size()));
                live.release(block->first, 1, block->second);
                blocks.erase(block);
            }
            const uint64_t first = moments[random() % moments.size()];
            const uint64_t last = moments[random() % moments.size()];
            uint64_t bytes = 0, count = 0;
            for (const auto& [at, size] : blocks) {
                if (at <= first || at > last) continue;
                bytes += size;
                count += 1;
            }
            REQUIRE(live.between(first, last).bytes == bytes);
            REQUIRE(live.between(first, last).blocks == count);
        }
    }
}
