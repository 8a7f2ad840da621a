// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/doubtful_blocks.h"

#include "tests/unit/test.h"

using memtrace::analyzer::DoubtfulBlocks;

namespace {

std::vector<uint64_t> found(const DoubtfulBlocks& blocks, uint64_t begin, uint64_t size) {
    std::vector<uint64_t> begins;
    blocks.for_each(begin, size, [&](uint64_t at) { begins.push_back(at); });
    return begins;
}

}  // namespace

TEST_CASE("blocks that have a byte of a range are found", "[doubtful_blocks]") {
    DoubtfulBlocks blocks;
    CHECK(blocks.empty());
    blocks.add(300, 10);
    blocks.add(100, 50);
    blocks.add(200, 0);
    blocks.sort();
    CHECK_FALSE(blocks.empty());
    CHECK(found(blocks, 0, 100).empty());
    CHECK(found(blocks, 149, 1) == std::vector<uint64_t>{100});
    CHECK(found(blocks, 150, 50).empty());
    CHECK(found(blocks, 150, 51) == std::vector<uint64_t>{200});
    CHECK(found(blocks, 0, 1000) == std::vector<uint64_t>{100, 200, 300});
    CHECK(found(blocks, 305, 0) == std::vector<uint64_t>{300});
    CHECK(found(blocks, 310, ~uint64_t{0}).empty());
    blocks.clear();
    CHECK(blocks.empty());
}
