// SPDX-License-Identifier: Apache-2.0
#include "preload/base/internal_heap.h"

#include <cstdint>
#include <cstring>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("blocks are recognised, aligned and apart", "[own_heap]") {
    char* a = static_cast<char*>(internal_heap_allocate(100));
    char* b = static_cast<char*>(internal_heap_allocate(100, 4096));
    REQUIRE(a != nullptr);
    REQUIRE(b != nullptr);
    CHECK(internal_heap_contains(a));
    CHECK(reinterpret_cast<uintptr_t>(a) % 16 == 0);
    CHECK(reinterpret_cast<uintptr_t>(b) % 4096 == 0);
    CHECK((b >= a + 100 || a >= b + 100));
    int on_the_stack = 0;
    CHECK_FALSE(internal_heap_contains(&on_the_stack));
}

TEST_CASE("a resized block keeps its bytes", "[own_heap]") {
    char* block = static_cast<char*>(internal_heap_resize(nullptr, 8));
    std::memcpy(block, "12345678", 8);
    char* larger = static_cast<char*>(internal_heap_resize(block, 1000));
    CHECK(std::memcmp(larger, "12345678", 8) == 0);
}

TEST_CASE("what does not fit is refused", "[own_heap]") {
    CHECK(internal_heap_allocate(own_heap_bytes + 1) == nullptr);
    CHECK(internal_heap_allocate(SIZE_MAX - 8) == nullptr);
}
