// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/large_table.h"

#include <sys/resource.h>

#include <map>
#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

struct Block {
    uint64_t size, number;
    uint32_t site, resizer;
    bool is_free() const { return number == 0; }
};

uint64_t key_of(std::mt19937_64& random) {
    switch (random() % 4) {
        case 0: return random() % 3 == 0 ? 0 : ~uint64_t{0};
        case 1: return random();
        default: return 0x7f0000000000 + random() % 3000 * 16;
    }
}

template <size_t neighbours>
void check_against_map() {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        LargeTable<Block, neighbours> blocks;
        std::map<uint64_t, uint64_t> naive;  // key: size
        for (int i = 0; i < 20'000; ++i) {
            const uint64_t key = key_of(random);
            blocks.soon(key);
            const auto known = naive.find(key);
            if (random() % 2 == 0) {
                Block* old = blocks.insert(key, {static_cast<uint64_t>(i), 1, 2, 3});
                REQUIRE((old != nullptr) == (known != naive.end()));
                if (old != nullptr) REQUIRE(old->size == known->second);
                else naive[key] = static_cast<uint64_t>(i);
            } else {
                Block* block = blocks.find(key);
                REQUIRE((block != nullptr) == (known != naive.end()));
                if (block == nullptr) continue;
                REQUIRE(block->size == known->second);
                blocks.erase(block);
                naive.erase(known);
            }
            REQUIRE(blocks.size() == naive.size());
        }
        size_t seen = 0;
        blocks.for_each([&](uint64_t key, const Block& block) {
            REQUIRE(naive.at(key) == block.size);
            ++seen;
        });
        REQUIRE(seen == naive.size());
    }
}

}  // namespace

TEST_CASE("a large table equals a map, whatever comes and goes") {
    check_against_map<1>();
    check_against_map<8>();
}

TEST_CASE("a large table keeps its entries while it grows, at no more than twice their size") {
    constexpr uint64_t count = 3'000'000;
    const auto peak_bytes = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    };
    const uint64_t before = peak_bytes();
    LargeTable<Block> blocks;
    uint64_t known = 0;
    for (uint64_t i = 1; i <= count; ++i) {
        known += blocks.insert(i * 48, {i, i, 2, 3}) != nullptr;
    }
    REQUIRE(known == 0);
    // A huge page at each end of the pieces that move.
    REQUIRE(peak_bytes() - before <= count * 64 + (uint64_t{8} << 20));
    uint64_t sum = 0;
    for (uint64_t i = 1; i <= count; ++i) {
        const Block* const block = blocks.find(i * 48);
        if (block != nullptr) sum += block->size;
    }
    REQUIRE(sum == count * (count + 1) / 2);
}
