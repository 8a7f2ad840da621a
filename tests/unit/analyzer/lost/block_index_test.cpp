// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/block_index.h"

#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("an address finds the block that it lies in, and no other") {
    const BlockIndex blocks({{0x2000, 16}, {0x1000, 100}, {0x3000, 0}});
    CHECK(blocks.find(0x1000) == 0);
    CHECK(blocks.find(0x1000 + 99) == 0);
    CHECK(blocks.find(0x1000 + 100) == BlockIndex::none);
    CHECK(blocks.find(0x200f) == 1);
    CHECK(blocks.find(0x2010) == BlockIndex::none);
    CHECK(blocks.find(0x3000) == 2);  // of no bytes
    CHECK(blocks.find(0x3001) == BlockIndex::none);
    CHECK(blocks.find(0xfff) == BlockIndex::none);
    CHECK(blocks.find(0) == BlockIndex::none);
    CHECK(blocks.find(UINT64_MAX) == BlockIndex::none);
    CHECK(blocks.begins_in(0x1f00, 0x2001));
    CHECK_FALSE(blocks.begins_in(0x1001, 0x2000));
}

TEST_CASE("without blocks nothing is found") {
    const BlockIndex blocks({});
    CHECK(blocks.size() == 0);
    CHECK(blocks.find(0) == BlockIndex::none);
    CHECK(blocks.find(0x1000) == BlockIndex::none);
}

TEST_CASE("a block of the size of the memory takes no more room than another") {
    const BlockIndex blocks({{0x1000, uint64_t{1} << 46}, {(uint64_t{1} << 46) + 0x2000, 32}});
    CHECK(blocks.find(0x1000 + (uint64_t{1} << 45)) == 0);
    CHECK(blocks.find((uint64_t{1} << 46) + 0x2010) == 1);
}

TEST_CASE("lookups agree with a search through all blocks") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 50; ++round) {
        std::vector<SearchedBlock> all;
        uint64_t at = 0x10000;
        const int count = 1 + static_cast<int>(random() % 200);
        for (int i = 0; i < count; ++i) {
            at += random() % 10 == 0 ? random() % (uint64_t{1} << 36) : random() % 64;
            const uint64_t size = random() % 50 == 0 ? random() % 1'000'000 : random() % 200;
            all.push_back({at, size});
            at += std::max<uint64_t>(size, 1);
        }
        const BlockIndex blocks(all);
        for (int i = 0; i < 300; ++i) {
            const SearchedBlock& near = all[random() % all.size()];
            const uint64_t address = near.address + random() % (2 * near.size + 32) - 16;
            uint32_t expected = BlockIndex::none;
            for (uint32_t block = 0; block < all.size(); ++block) {
                const bool is_in = address >= all[block].address &&
                                   (address - all[block].address < all[block].size ||
                                    address == all[block].address);
                if (is_in) expected = block;
            }
            REQUIRE(blocks.find(address) == expected);
        }
    }
}
