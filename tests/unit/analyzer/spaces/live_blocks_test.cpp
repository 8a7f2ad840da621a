// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/live_blocks.h"

#include <map>
#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

uint64_t address_of(std::mt19937_64& random) {
    switch (random() % 4) {
        case 0: return random() % 3 == 0 ? 0 : ~uint64_t{0};
        case 1: return random();
        default: return 0x7f0000000000 + random() % 3000 * 16;
    }
}

}  // namespace

TEST_CASE("the table of live blocks equals a map, whatever comes and goes") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        LiveBlocks blocks;
        std::map<uint64_t, uint64_t> naive;  // address: size
        for (int i = 0; i < 20'000; ++i) {
            const uint64_t address = address_of(random);
            blocks.soon(address);
            const auto known = naive.find(address);
            if (random() % 2 == 0) {
                LiveBlock* old = blocks.insert(address, {static_cast<uint64_t>(i), 1, 2, 3});
                REQUIRE((old != nullptr) == (known != naive.end()));
                if (old != nullptr) REQUIRE(old->size == known->second);
                else naive[address] = static_cast<uint64_t>(i);
            } else {
                LiveBlock* block = blocks.find(address);
                REQUIRE((block != nullptr) == (known != naive.end()));
                if (block == nullptr) continue;
                REQUIRE(block->size == known->second);
                blocks.erase(block);
                naive.erase(known);
            }
            REQUIRE(blocks.size() == naive.size());
        }
        size_t seen = 0;
        blocks.for_each([&](uint64_t address, const LiveBlock& block) {
            REQUIRE(naive.at(address) == block.size);
            ++seen;
        });
        REQUIRE(seen == naive.size());
    }
}
