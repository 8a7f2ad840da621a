// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/largest_blocks.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr uint64_t run_end = 1 << 20;

std::vector<BlockLife> kept(const std::vector<BlockLife>& lives) {
    LargestBlocks largest;
    largest.begin(0);
    for (const BlockLife& life : lives) {
        if (life.is_alive) largest.alive(life);
        else largest.ended(life);
    }
    TickClock clock(1'000'000'000);
    clock.settle();
    return largest.finish(clock);
}

bool is_larger(const BlockLife& a, const BlockLife& b) {
    return std::tuple(b.bytes, a.begin, a.end, a.site) <
           std::tuple(a.bytes, b.begin, b.end, b.site);
}

bool is_earlier(const BlockLife& a, const BlockLife& b) {
    return std::tuple(a.begin, a.end, a.site, a.bytes) <
           std::tuple(b.begin, b.end, b.site, b.bytes);
}

std::vector<BlockLife> many_lives(size_t count) {
    std::mt19937_64 random(7);
    std::vector<BlockLife> lives;
    for (size_t i = 0; i < count; ++i) {
        BlockLife life;
        life.begin = random() % run_end;
        life.end = std::min(life.begin + random() % 4000, run_end - 1);
        life.bytes = 1 + random() % 100'000;
        life.site = static_cast<uint32_t>(i % 50);
        lives.push_back(life);
    }
    return lives;
}

}  // namespace

TEST_CASE("largest_blocks: few blocks are all kept, by their begin") {
    const BlockLife young{.begin = 20, .end = 30, .bytes = 1, .site = 2};
    const BlockLife old{.begin = 5, .end = 40, .bytes = 9, .site = 1};
    const BlockLife alive{.begin = 10, .end = 0, .bytes = 3, .site = 3, .is_alive = true};
    CHECK(kept({young, old, alive}) == std::vector{old, alive, young});
}

TEST_CASE("largest_blocks: of many blocks, the largest of each slice are kept, and no others") {
    const std::vector<BlockLife> lives = many_lives(200'000);
    constexpr uint64_t width = run_end / LargestBlocks::slices_max;
    std::vector<BlockLife> expected;
    for (uint64_t begin = 0; begin < run_end; begin += width) {
        std::vector<BlockLife> then;
        for (const BlockLife& life : lives) {
            if (life.begin < begin + width && life.end >= begin) then.push_back(life);
        }
        std::sort(then.begin(), then.end(), is_larger);
        expected.insert(expected.end(), then.begin(), then.begin() + LargestBlocks::of_slice);
    }
    std::sort(expected.begin(), expected.end(), is_earlier);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    CHECK(kept(lives) == expected);
}

TEST_CASE("largest_blocks: what is kept does not depend on the order of the ends") {
    std::vector<BlockLife> lives = many_lives(100'000);
    const std::vector<BlockLife> found = kept(lives);
    std::shuffle(lives.begin(), lives.end(), std::mt19937_64(3));
    CHECK(kept(lives) == found);
}

TEST_CASE("largest_blocks: a block that lives on counts until the end") {
    std::vector<BlockLife> lives = many_lives(50'000);
    const BlockLife alive{.begin = 3, .end = 0, .bytes = 200'000, .site = 99, .is_alive = true};
    lives.push_back(alive);
    const std::vector<BlockLife> found = kept(lives);
    CHECK(std::find(found.begin(), found.end(), alive) != found.end());
}
