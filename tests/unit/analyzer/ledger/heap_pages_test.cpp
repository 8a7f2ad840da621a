// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/heap_pages.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

HeapUse use_of(HeapKind kind, const std::vector<HeldBlock>& blocks,
               std::vector<AddressRange> resident = {{0x10000, 0x20000}}) {
    HeapUse use;
    add_heap_piece(use, {0x10000, 0x20000}, kind, blocks, ResidentRanges(std::move(resident)));
    return use;
}

}  // namespace

TEST_CASE("every resident byte of a heap is in a block, overhead, or free") {
    const HeapUse use = use_of(HeapKind::growing, {{0x10010, 100, 1}, {0x10080, 24, 2}});
    CHECK(use.blocks == 124);
    // 100 + 8 are rounded up to 112, and 24 + 8 are 32.
    CHECK(use.overhead == 12 + 8);
    CHECK(use.free == 0x10000 - 112 - 32);
    CHECK(use.sum() == 0x10000);
}

TEST_CASE("free pages are pinned by the block above them, and those at the top by none") {
    const HeapUse use = use_of(HeapKind::growing, {{0x10010, 16, 1}, {0x18010, 16, 7}});
    CHECK(use.pinned == 0x7000);  // all but the first page
    CHECK(use.free_at_top == 0x7000);
    CHECK(use.free_pages == 0xe000);
    const std::vector<HostPin> pins = largest_pins(use, 10);
    REQUIRE(pins.size() == 1);
    CHECK(pins[0].stack == 7);
    CHECK(pins[0].blocks == 1);
    CHECK(pins[0].block_bytes == 16);
    CHECK(pins[0].free_bytes == 0x7000);
}

TEST_CASE("pages that are not resident are no part of anything") {
    const HeapUse use = use_of(HeapKind::growing, {{0x11010, 0x3000, 1}}, {{0x12000, 0x13000}});
    CHECK(use.blocks == 0x1000);
    CHECK(use.sum() == 0x1000);
    CHECK(use.pins.empty());
}

TEST_CASE("a block at the edge of the resident pages counts with its part in them") {
    // The second one and the gap below it lie partly in pages that are not resident.
    const HeapUse use = use_of(HeapKind::growing, {{0x10010, 0x1000, 1}, {0x13010, 0x800, 2}},
                               {{0x10000, 0x12000}, {0x13000, 0x13400}, {0x14000, 0x20000}});
    CHECK(use.blocks == 0x1000 + 0x3f0);
    CHECK(use.sum() == 0x2000 + 0x400 + 0xc000);
    CHECK(use.pinned == 0);
    CHECK(use.free_at_top == 0xc000);
}

TEST_CASE("a mapping for one block has no free parts") {
    const HeapUse use = use_of(HeapKind::single_block, {{0x10010, 0xf000, 1}});
    CHECK(use.blocks == 0xf000);
    CHECK(use.overhead == 0x1000);
    CHECK(use.free == 0);
}

TEST_CASE("blocks of an unknown allocator have no header and pin nothing") {
    const HeapUse use = use_of(HeapKind::unknown, {{0x18000, 64, 1}});
    CHECK(use.blocks == 64);
    CHECK(use.overhead == 0);
    CHECK(use.free == 0x10000 - 64);
    CHECK(use.pinned == 0);
}

TEST_CASE("blocks that overlap or reach out of the heap are not counted twice") {
    const HeapUse use =
        use_of(HeapKind::growing,
               {{0x10010, 0x100, 1}, {0x10050, 0x100, 1}, {0x1fff0, ~uint64_t{0} - 0x30000, 1}});
    CHECK(use.sum() == 0x10000);
    CHECK(use.blocks == 0x40 + 0x100 + 0x10);
}

TEST_CASE("only the largest pins are kept, the largest first") {
    const HeapUse use =
        use_of(HeapKind::growing, {{0x12010, 16, 1}, {0x19010, 16, 2}, {0x1d010, 16, 3}});
    const std::vector<HostPin> pins = largest_pins(use, 2);
    REQUIRE(pins.size() == 2);
    CHECK(pins[0].stack == 2);
    CHECK(pins[1].stack == 3);
}
