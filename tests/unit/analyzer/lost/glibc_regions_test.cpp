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

TEST_CASE("memory that a program took by sbrk() is told from the allocator's") {
    constexpr uint64_t begin = 0x600000, end = begin + 0x4000, top = begin + 0x3000;
    MadeUpMemory made_up;
    const auto put_chunk = [&](uint64_t at, uint64_t size) { made_up.put(at + 8, {size | 1}); };
    put_chunk(begin, 0x290);             // the first one
    put_chunk(begin + 0x290, 0x70);      // of a block
    put_chunk(begin + 0x300, 0x500);     // free
    put_chunk(begin + 0x800, 0x70);      // of a block
    put_chunk(begin + 0x870, 0x770);     // free
    made_up.put(begin + 0xfe8, {0x10});  // the end for now, behind a free chunk
    put_chunk(begin + 0xff0, 0x10);
    made_up.put(begin + 0x1000, {0x600010, 0x600020, 0x600030});  // the program's
    put_chunk(begin + 0x2000, 0x70);                              // of a block
    put_chunk(begin + 0x2070, 0xf90);                             // free
    put_chunk(top, 0x800);
    made_up.put(top + 0x808, {0x801});  // the program's again, though it looks like a chunk
    const BlockIndex blocks(
        {{begin + 0x2a0, 100}, {begin + 0x810, 100}, {begin + 0x2010, 100}, {end + 16, 100}});
    const auto parts = parts_of_others(made_up, {begin, end}, top, blocks);
    REQUIRE(parts.size() == 2);
    CHECK((parts[0].begin == begin + 0x1000 && parts[0].end == begin + 0x2000));
    CHECK((parts[1].begin == top + 0x800 && parts[1].end == end));
    made_up.put(begin + 8, {0});  // The program has taken memory first.
    CHECK(parts_of_others(made_up, {begin, end}, top, blocks).size() == 3);
}

TEST_CASE("a heap in which one block follows the other has no part of others") {
    constexpr uint64_t begin = 0x600000, top = begin + 0x350, end = begin + 0x1000;
    MadeUpMemory made_up;
    made_up.put(begin + 8, {0x291});
    made_up.put(begin + 0x298, {0x61});
    made_up.put(begin + 0x2f8, {0x61});
    made_up.put(top + 8, {(end - top) | 1});
    const BlockIndex blocks(
        {{begin + 0x2a0, 80}, {begin + 0x300, 72}});  // one has 8 bytes to spare
    CHECK(parts_of_others(made_up, {begin, end}, top, blocks).empty());
}
