// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_arenas.h"

#include <cstring>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

constexpr uint64_t function = 0x401000;

// Does what PyObject_GetArenaAllocator() does: writes context, allocate, free.
void say_where(void* allocator) {
    const uint64_t words[3] = {0, function, function + 0x40};
    std::memcpy(allocator, words, sizeof words);
}

}  // namespace

TEST_CASE("an arena has its size, and is mapped by the interpreter's function", "[python_arenas]") {
    const MadePython made(12);
    python.get_arena_allocator = say_where;
    find_python_arenas();
    CHECK(is_python_arena(function + 40, 1 << 20));
    CHECK_FALSE(is_python_arena(function + 40, 1 << 18));
    CHECK_FALSE(is_python_arena(function - 1, 1 << 20));
    CHECK_FALSE(is_python_arena(function + 0x400, 1 << 20));
}

TEST_CASE("arenas were smaller up to Python 3.9", "[python_arenas]") {
    const MadePython made(9);
    python.get_arena_allocator = say_where;
    find_python_arenas();
    CHECK(is_python_arena(function + 40, 1 << 18));
    CHECK_FALSE(is_python_arena(function + 40, 1 << 20));
}

TEST_CASE("without an interpreter nothing is an arena", "[python_arenas]") {
    python_arena_function = 0;
    python_arena_bytes = 0;
    CHECK_FALSE(is_python_arena(0x401000, 1 << 20));
    CHECK_FALSE(is_python_arena(0x401000, 0));
}
