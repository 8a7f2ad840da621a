// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/left_out_blocks.h"

#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/unit/test.h"

using memtrace::preload::LeftOutBlocks;

namespace {

constexpr uint64_t heap_at = 0x7f0000000000;

}  // namespace

TEST_CASE("a block is known until it is removed", "[left_out_blocks]") {
    LeftOutBlocks blocks;
    CHECK_FALSE(blocks.remove(heap_at));  // There is no table yet.
    blocks.start();
    CHECK_FALSE(blocks.has(heap_at));
    blocks.add(heap_at);
    blocks.add(heap_at);
    CHECK(blocks.has(heap_at));
    CHECK_FALSE(blocks.has(heap_at + 16));
    CHECK(blocks.remove(heap_at));
    CHECK_FALSE(blocks.remove(heap_at));
    blocks.forget();
}

TEST_CASE("no block is taken for another, however many there are", "[left_out_blocks]") {
    LeftOutBlocks blocks;
    blocks.start();
    std::mt19937_64 random(7);
    std::set<uint64_t> added;
    for (int i = 0; i < 200'000; ++i) {
        // Far more pieces than the table has.
        const uint64_t address = heap_at + random() % (uint64_t{1} << 36) / 16 * 16;
        blocks.add(address);
        added.insert(address);
    }
    size_t known = 0;
    for (const uint64_t address : added) {
        known += blocks.has(address);
        if (!added.contains(address + 16)) CHECK_FALSE(blocks.has(address + 16));
    }
    CHECK(known > 1000);
    blocks.forget();
    for (const uint64_t address : added) CHECK_FALSE(blocks.has(address));
}

TEST_CASE("blocks that could share a bit are not in the table", "[left_out_blocks]") {
    LeftOutBlocks blocks;
    blocks.start();
    blocks.add(heap_at + 8);
    CHECK_FALSE(blocks.has(heap_at + 8));
    CHECK_FALSE(blocks.has(heap_at));
}

TEST_CASE("threads do not disturb each other's blocks", "[left_out_blocks]") {
    static LeftOutBlocks blocks;
    blocks.start();
    constexpr uint64_t threads = 4, rounds = 20'000;
    std::atomic<uint64_t> wrong{0};
    std::vector<std::thread> all;
    for (uint64_t thread = 0; thread < threads; ++thread) {
        all.emplace_back([&, thread] {
            for (uint64_t i = 0; i < rounds; ++i) {
                // The blocks of the threads have bits in the same words.
                const uint64_t address = heap_at + (i % 512 * threads + thread) * 16;
                wrong += blocks.has(address);
                blocks.add(address);
                wrong += !blocks.remove(address);
            }
        });
    }
    for (std::thread& thread : all) thread.join();
    CHECK(wrong == 0);
}
