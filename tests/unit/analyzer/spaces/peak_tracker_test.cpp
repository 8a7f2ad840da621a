// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/peak_tracker.h"

#include <map>
#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// The oracle copies everything at each new peak.
struct Naive {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> live;  // by stack: blocks, bytes
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> at_peak;
    uint64_t held = 0;
    uint64_t peak = 0;
    uint64_t peak_time = 0;

    void change(uint32_t stack, int64_t blocks, int64_t bytes, uint64_t time) {
        live[stack].first += static_cast<uint64_t>(blocks);
        live[stack].second += static_cast<uint64_t>(bytes);
        held += static_cast<uint64_t>(bytes);
        if (held <= peak) return;
        peak = held;
        peak_time = time;
        at_peak = live;
    }
};

struct Block {
    uint32_t stack;
    uint64_t size;
};

}  // namespace

TEST_CASE("who held the memory at the peak, against copying at every peak") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        SpaceCounter counter("test");
        Naive naive;
        std::vector<Block> blocks;
        const unsigned stacks = static_cast<unsigned>(1 + random() % 10);
        std::map<uint32_t, uint64_t> half;
        for (uint64_t time = 1; time < 400; ++time) {
            if (time == 200) {
                counter.pass_half();
                for (const Block& block : blocks) half[block.stack] += block.size;
            }
            if (blocks.empty() || random() % 100 < 52) {
                const Block block{static_cast<uint32_t>(random() % stacks),
                                  random() % 4 == 0 ? 0 : random() % 8};
                blocks.push_back(block);
                counter.acquire(counter.site_of(block.stack), block.size, time);
                naive.change(block.stack, 1, static_cast<int64_t>(block.size), time);
            } else {
                const size_t place = random() % blocks.size();
                const Block block = blocks[place];
                blocks[place] = blocks.back();
                blocks.pop_back();
                counter.release(counter.site_of(block.stack), block.size, false, 1);
                naive.change(block.stack, -1, -static_cast<int64_t>(block.size), time);
            }
        }
        const Space space = counter.finish();
        REQUIRE(space.totals.at_peak_bytes == naive.peak);
        REQUIRE(counter.peak_time() == naive.peak_time);
        for (const Site& site : space.sites) {
            REQUIRE(site.totals.at_peak_blocks == naive.at_peak[site.stack].first);
            REQUIRE(site.totals.at_peak_bytes == naive.at_peak[site.stack].second);
            REQUIRE(site.totals.live_bytes == naive.live[site.stack].second);
            REQUIRE(site.totals.half_bytes == half[site.stack]);
        }
    }
}

TEST_CASE("of equal peaks the first counts") {
    SpaceCounter counter("test");
    const uint32_t a = counter.site_of(1);
    const uint32_t b = counter.site_of(2);
    counter.acquire(a, 10, 100);
    counter.release(a, 10, false, 1);
    counter.acquire(b, 10, 200);
    const Space space = counter.finish();
    CHECK(counter.peak_time() == 100);
    CHECK(space.sites[a].totals.at_peak_bytes == 10);
    CHECK(space.sites[b].totals.at_peak_bytes == 0);
}

TEST_CASE("an absurd stack number takes no memory of its own size") {
    SpaceCounter counter("test");
    counter.acquire(counter.site_of(0xffffffff), 1, 1);
    counter.acquire(counter.site_of(0xfffffffe), 2, 2);
    counter.acquire(counter.site_of(0xffffffff), 3, 3);
    CHECK(counter.finish().sites.size() == 2);
}
