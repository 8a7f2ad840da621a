// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/glibc_regions.h"

#include "tests/unit/analyzer/lost/made_up_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;

namespace {

// Lists of free chunks as glibc has them after its start: each empty one points to itself.
constexpr uint64_t data = 0x10000, lists = data + 0x200;

MadeUpMemory with_lists(uint64_t first_that_is_empty) {
    MadeUpMemory memory;
    for (uint64_t i = first_that_is_empty; i < 127; ++i) {
        const uint64_t at = lists + i * 16;
        memory.put(at, {at - 16, at - 16});
    }
    return memory;
}

}  // namespace

TEST_CASE("the lists of free chunks are found in libc's data, with what belongs to them") {
    for (const uint64_t first : {0, 1, 60}) {
        MadeUpMemory memory = with_lists(first);
        const auto arena = find_main_arena(memory, {data, data + 0x2000});
        REQUIRE(arena);
        CHECK(arena->begin == lists - 112);
        CHECK(arena->end >= lists + 127 * 16);
        CHECK(arena->end <= lists + 127 * 16 + 128);
    }
}

TEST_CASE("a few words that point to themselves are no lists of chunks") {
    MadeUpMemory memory;
    for (uint64_t i = 0; i < 8; ++i)
        memory.put(lists + i * 16, {lists + i * 16 - 16, lists + i * 16 - 16});
    CHECK_FALSE(find_main_arena(memory, {data, data + 0x2000}));
}

TEST_CASE("the heap of a further arena begins with its arena and its size") {
    constexpr uint64_t heap = 0x7f0000000000;
    const Mapping mapping{.begin = heap, .end = heap + 0x21000, .read = true, .write = true};
    MadeUpMemory memory;
    CHECK_FALSE(is_arena_heap(memory, mapping));
    memory.put(heap, {heap + 0x30, 0, 0x21000, 0x21000});
    CHECK(is_arena_heap(memory, mapping));
    Mapping other = mapping;
    other.begin += 0x1000;
    CHECK_FALSE(is_arena_heap(memory, other));
}

TEST_CASE("a block with a mapping of its own says how large that is") {
    constexpr uint64_t pages = 0x7f0000000000;
    MadeUpMemory memory;
    memory.put(pages, {0, 0x41000 | 2});
    const auto found = own_mapping_of(memory, {pages + 16, 0x40000});
    REQUIRE(found);
    CHECK(found->begin == pages);
    CHECK(found->end == pages + 0x41000);
    SECTION("also one that is aligned") {
        memory.put(pages + 0xff0, {0xff0, (0x41000 - 0xff0) | 2});
        const auto aligned = own_mapping_of(memory, {pages + 0x1000, 0x3f000});
        REQUIRE(aligned);
        CHECK(aligned->begin == pages);
        CHECK(aligned->end == pages + 0x41000);
    }
    SECTION("and one that has none does not") {
        memory.put(pages, {0, 0x41000});
        CHECK_FALSE(own_mapping_of(memory, {pages + 16, 0x40000}));
        CHECK_FALSE(own_mapping_of(memory, {pages + 16, 100}));
    }
}
