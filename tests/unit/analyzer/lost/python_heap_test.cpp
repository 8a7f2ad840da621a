// SPDX-License-Identifier: Apache-2.0
//
// An arena with one pool, and objects in it, as CPython lays them out.
#include "analyzer/lost/python_heap.h"

#include "tests/unit/analyzer/lost/python_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("python_heap: a pool has the cells that were handed out once") {
    PythonMemory memory;
    const std::vector<PythonPool> pools = find_python_pools(memory, memory.arena());
    REQUIRE(pools.size() == 1);
    CHECK(pools[0].range.begin == memory.pool);
    CHECK(pools[0].range.end == memory.pool + PythonMemory::pool_bytes);
    CHECK(pools[0].cell_bytes == PythonMemory::cell_bytes);
    CHECK(pools[0].cells == PythonMemory::cells);
}

TEST_CASE("python_heap: what does not look like a pool is none") {
    PythonMemory memory;
    memory.put(memory.pool + 32, {uint64_t{40} << 32});  // a class of sizes that there is not
    CHECK(find_python_pools(memory, memory.arena()).empty());
}

TEST_CASE("python_heap: an object is tracked if the list of the collector leads through it") {
    PythonMemory memory;
    memory.put_object(0, PythonMemory::list_head, memory.cell(1));
    memory.put_object(1, memory.cell(0), PythonMemory::list_head);
    const BlockIndex blocks(memory.all_cells());
    const std::vector<TrackedObject> objects = find_tracked_objects(memory, blocks);
    REQUIRE(objects.size() == 2);
    CHECK(objects[0].block == 0);
    CHECK(objects[0].offset == 16);
    CHECK(objects[1].block == 1);
}

TEST_CASE("python_heap: what was freed, or has no type of the collector, is not tracked") {
    PythonMemory memory;
    memory.put_object(0, PythonMemory::list_head, memory.cell(1));
    memory.put_object(1, memory.cell(0), PythonMemory::list_head);
    SECTION("its neighbours do not lead to it") {
        memory.put_object(2, memory.cell(0), memory.cell(1));
    }
    SECTION("its type does not say that it is collected") {
        memory.put_object(2, memory.cell(1), PythonMemory::list_head, PythonMemory::plain_type);
        memory.put_object(1, memory.cell(0), memory.cell(2));
    }
    const BlockIndex blocks(memory.all_cells());
    CHECK(find_tracked_objects(memory, blocks).size() == 2);
}

namespace {

constexpr uint64_t interpreter = 0x700000, interpreter_bytes = 4096;

void map_interpreter(PythonMemory& memory) {
    memory.put(interpreter, std::vector<uint64_t>(interpreter_bytes / 8));
    memory.map({.begin = interpreter,
                .end = interpreter + interpreter_bytes,
                .read = true,
                .write = true,
                .path = "/usr/lib/libpython3.12.so.1.0"});
}

// A piece of a stack: the one before, its size, and how many words of it are used.
constexpr uint64_t piece_bytes = 16384;
void put_piece(PythonMemory& memory, uint64_t at, uint64_t before, uint64_t used) {
    memory.put(at, {before, piece_bytes, used});
}

}  // namespace

TEST_CASE("python_heap: a list of free objects is a row of words that point to one type") {
    PythonMemory memory;
    map_interpreter(memory);
    memory.put_object(0, PythonMemory::list_head, memory.cell(1));
    const BlockIndex blocks(memory.all_cells());
    const auto put_row = [&](size_t words) {
        memory.put(interpreter + 64, std::vector<uint64_t>(words, memory.object(0)));
    };
    SECTION("eight are a list") {
        put_row(8);
        const std::vector<uint64_t> found = find_free_lists(memory, blocks);
        REQUIRE(found.size() == 8);
        CHECK(found.front() == interpreter + 64);
        CHECK(found.back() == interpreter + 64 + 7 * 8);
    }
    SECTION("seven may be anything") {
        put_row(7);
        CHECK(find_free_lists(memory, blocks).empty());
    }
    SECTION("and so may words that point nowhere") {
        memory.put(interpreter + 64, std::vector<uint64_t>(20, 0x123450));
        CHECK(find_free_lists(memory, blocks).empty());
    }
}

TEST_CASE("python_heap: cells of one size are a list too, as those of tables of dictionaries") {
    PythonMemory memory;
    map_interpreter(memory);
    const BlockIndex blocks(memory.all_cells());
    std::vector<uint64_t> row;
    for (int i = 0; i < 3; ++i) {
        for (uint64_t cell = 0; cell < PythonMemory::cells; ++cell)
            row.push_back(memory.cell(cell));
    }
    memory.put(interpreter + 128, row);
    CHECK(find_free_lists(memory, blocks).size() == row.size());
}

TEST_CASE("python_heap: what a thread's stack does not use any more lies behind its top") {
    PythonMemory memory;
    map_interpreter(memory);
    constexpr uint64_t newest = 0x7f1000000000, before = 0x7f2000000000;
    put_piece(memory, newest, before, 0);
    put_piece(memory, before, 0, 100);
    // The state of a thread: where the newest piece begins, its top, and its end.
    memory.put(interpreter + 256, {newest, newest + 4000, newest + piece_bytes});
    const BlockIndex no_blocks({});
    const std::vector<memtrace::LostRange> unused = find_unused_stacks(memory, no_blocks);
    REQUIRE(unused.size() == 2);
    CHECK(unused[0].begin == newest + 4000);
    CHECK(unused[0].end == newest + piece_bytes);
    CHECK(unused[1].begin == before + 24 + 100 * 8);
    CHECK(unused[1].end == before + piece_bytes);
}

TEST_CASE("python_heap: the state of a thread may be a block of the heap") {
    PythonMemory memory;
    constexpr uint64_t state = 0x800000, piece = 0x7f1000000000;
    put_piece(memory, piece, 0, 0);
    memory.put(state, std::vector<uint64_t>(64));
    memory.put(state + 80, {piece, piece + 24, piece + piece_bytes});
    const BlockIndex blocks({{state, 512}});
    CHECK(find_unused_stacks(memory, blocks).size() == 1);
}

TEST_CASE("python_heap: three words that look like a stack are none if the piece says otherwise") {
    PythonMemory memory;
    map_interpreter(memory);
    constexpr uint64_t piece = 0x7f1000000000;
    SECTION("it has another size") { memory.put(piece, {0, 2 * piece_bytes, 0}); }
    SECTION("its top lies before it") { put_piece(memory, piece, 0, 0); }
    const bool has_top = memory.word(piece + 8) != piece_bytes;
    memory.put(interpreter, {piece, has_top ? piece + 100 : piece - 8, piece + piece_bytes});
    const BlockIndex no_blocks({});
    CHECK(find_unused_stacks(memory, no_blocks).empty());
}

TEST_CASE("python_heap: a large list of the program is no list of free objects") {
    PythonMemory memory;
    map_interpreter(memory);
    constexpr uint64_t items = 0x7f3000000000, bytes = 16 << 10;
    std::vector<SearchedBlock> all = memory.all_cells();
    all.push_back({items, bytes});
    memory.put_object(0, PythonMemory::list_head, memory.cell(1));
    memory.put(items + 64, std::vector<uint64_t>(20, memory.object(0)));
    const BlockIndex blocks(all);
    CHECK(find_free_lists(memory, blocks).empty());
    // The state of the interpreter may look like that, and the interpreter knows where it is.
    memory.put(interpreter + 8, {items});
    CHECK(find_free_lists(memory, blocks).size() == 20);
}

TEST_CASE("python_heap: only files of the interpreter are the interpreter") {
    CHECK(is_interpreter("/usr/bin/python3.11"));
    CHECK(is_interpreter("/usr/lib/libpython3.12.so.1.0"));
    CHECK_FALSE(is_interpreter("/usr/lib/numpy/_core.cpython-311-x86_64-linux-gnu.so"));
    CHECK_FALSE(is_interpreter("/usr/lib/torch/libtorch_python.so"));
}
