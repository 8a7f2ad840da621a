// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/interior_pointers.h"

#include "tests/unit/analyzer/lost/made_up_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr uint64_t block = 0x1000, table = 0x700000, code = 0x600000, data = 0x800000;

struct Story {
    Story() {
        memory.map(
            {.begin = code, .end = code + 0x1000, .read = true, .execute = true, .path = "/p"});
        memory.map({.begin = table, .end = table + 0x1000, .read = true, .path = "/p"});
        memory.map({.begin = data, .end = data + 0x1000, .read = true, .write = true});
        memory.put(table, {0, code + 16, code + 32});
        memory.put(data, {code + 16});
    }
    bool is_good(uint64_t size, uint64_t offset) {
        return InteriorPointers(memory).is_as_good({block, size}, block + offset);
    }
    MadeUpMemory memory;
};

}  // namespace

TEST_CASE("a string of old libstdc++ is known by its length and capacity") {
    Story story;
    story.memory.put(block, {5, 10, 0});
    CHECK(story.is_good(24 + 10 + 1, 24));
    CHECK_FALSE(story.is_good(24 + 10 + 1, 16));
    CHECK_FALSE(story.is_good(24 + 11 + 1, 24));
    story.memory.put(block, {11, 10, 0});
    CHECK_FALSE(story.is_good(24 + 10 + 1, 24));
}

TEST_CASE("an array of objects is known by their number, which divides its size") {
    Story story;
    story.memory.put(block, {3});
    CHECK(story.is_good(8 + 3 * 24, 8));
    CHECK_FALSE(story.is_good(8 + 3 * 24 + 1, 8));
    CHECK_FALSE(story.is_good(8 + 3 * 24, 32));
    story.memory.put(block, {0});
    CHECK_FALSE(story.is_good(8 + 3 * 24, 8));
}

TEST_CASE("objects of an array that are aligned begin behind more than their number") {
    Story story;
    story.memory.put(block + 56, {3});
    CHECK(story.is_good(64 + 3 * 64, 64));
    CHECK(story.is_good(64 + 3 * 128, 64));
    CHECK_FALSE(story.is_good(64 + 3 * 24, 64));  // No such object is aligned.
    CHECK_FALSE(story.is_good(64 + 3 * 64, 32));
    CHECK_FALSE(story.is_good(64, 64));
    story.memory.put(block + 56, {0});
    CHECK(story.is_good(64, 64));  // an array of none
    CHECK_FALSE(story.is_good(128, 64));
    CHECK_FALSE(story.is_good(24, 24));
}

TEST_CASE("a block that begins with its own size") {
    Story story;
    story.memory.put(block, {61});
    CHECK(story.is_good(69, 8));
    CHECK_FALSE(story.is_good(70, 8));
}

TEST_CASE("the vector of a thread's thread-local variables begins with its length") {
    Story story;
    story.memory.put(block, {17});
    CHECK(story.is_good(19 * 16, 16));
    CHECK_FALSE(story.is_good(20 * 16, 16));
    CHECK_FALSE(story.is_good(19 * 16, 24));
}

TEST_CASE("a base of an object is known by two tables of functions") {
    Story story;
    story.memory.put(block, {table + 8});
    story.memory.put(block + 16, {table + 16});
    CHECK(story.is_good(64, 16));
    CHECK_FALSE(story.is_good(64, 32));
    SECTION("memory that can be written to has no tables") {
        story.memory.put(block + 16, {data});
        CHECK_FALSE(story.is_good(64, 16));
    }
    SECTION("the beginning needs one, too") {
        story.memory.put(block, {5});
        CHECK_FALSE(story.is_good(64, 16));
    }
}
