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
