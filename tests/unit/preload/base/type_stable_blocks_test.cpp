// SPDX-License-Identifier: Apache-2.0
#include "preload/base/type_stable_blocks.h"

#include <cstring>
#include <thread>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("a block that was given back is used again", "[steady_blocks]") {
    uint8_t* const first = take_type_stable_block(1000);
    uint8_t* const second = take_type_stable_block(1000);
    REQUIRE(first != nullptr);
    REQUIRE(second != nullptr);
    CHECK(first != second);
    give_back_type_stable_block(first, 1000);
    CHECK(take_type_stable_block(990) == first);
    give_back_type_stable_block(first, 990);
    give_back_type_stable_block(second, 1000);
}

TEST_CASE("blocks of all sizes do not overlap", "[steady_blocks]") {
    struct Block {
        uint8_t* begin;
        size_t bytes;
    };
    std::vector<Block> blocks;
    for (size_t bytes = 1; bytes < 300000; bytes += bytes / 3 + 1) {
        blocks.push_back({take_type_stable_block(bytes), bytes});
        REQUIRE(blocks.back().begin != nullptr);
        std::memset(blocks.back().begin, static_cast<int>(blocks.size()), bytes);
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
        CHECK(blocks[i].begin[0] == static_cast<uint8_t>(i + 1));
        CHECK(blocks[i].begin[blocks[i].bytes - 1] == static_cast<uint8_t>(i + 1));
        give_back_type_stable_block(blocks[i].begin, blocks[i].bytes);
    }
}

TEST_CASE("too large a block, and one of nothing, are not to be had", "[steady_blocks]") {
    CHECK(take_type_stable_block(0) == nullptr);
    CHECK(take_type_stable_block(type_stable_block_bytes_max + 1) == nullptr);
}

TEST_CASE("threads never hold the same block", "[steady_blocks]") {
    std::vector<std::thread> threads;
    std::vector<int> stolen(4);
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([number, &stolen] {
            for (int i = 0; i < 20000; ++i) {
                uint8_t* const block = take_type_stable_block(100);
                *block = static_cast<uint8_t>(number);
                stolen[static_cast<size_t>(number)] += *block != number;
                give_back_type_stable_block(block, 100);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(stolen == std::vector<int>(4));
}
