// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/live_memory.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("live memory is listed with its stacks, and freed memory is not") {
    HeapSpace heap;
    MapSpace maps;
    ObjectSpace objects;
    heap.acquire(0x1000, 100, 5, 10, 0);
    heap.acquire(0x2000, 200, 6, 20, 0);
    heap.release(0x1000, 0);
    const HeldMemory held = held_memory(heap, maps, objects);
    REQUIRE(held.heap.size() == 1);
    CHECK(held.heap[0].address == 0x2000);
    CHECK(held.heap[0].size == 200);
    CHECK(held.heap[0].stack == 6);
    CHECK_FALSE(held.has_all_objects);
}

TEST_CASE("mappings have their part, and those of files are left out") {
    HeapSpace heap;
    MapSpace maps;
    ObjectSpace objects;
    const auto map = [&](uint64_t address, MapClass map_class, MapPurpose purpose) {
        Map record;
        record.address = address;
        record.size = 0x1000;
        record.stack = 5;
        record.map_class = map_class;
        record.purpose = purpose;
        maps.map(record, 0);
    };
    map(0x10000, MapClass::anonymous, MapPurpose::unknown);
    map(0x20000, MapClass::file, MapPurpose::unknown);
    map(0x30000, MapClass::shared, MapPurpose::unknown);
    map(0x40000, MapClass::anonymous, MapPurpose::python_arena);
    map(0x50000, MapClass::anonymous, MapPurpose::gpu_driver);
    const HeldMemory held = held_memory(heap, maps, objects);
    REQUIRE(held.mappings.size() == 3);
    CHECK(held.mappings[0].part == HostPart::mappings);
    CHECK(held.mappings[1].part == HostPart::python_arenas);
    CHECK(held.mappings[2].part == HostPart::gpu_driver);
    CHECK(held.mappings[2].end == 0x51000);
    CHECK(held.mappings[0].stack == 5);
}

TEST_CASE("Python's objects are listed only if every one is recorded") {
    HeapSpace heap;
    MapSpace maps;
    ObjectSpace objects;
    PythonObjects begin;
    begin.state = PythonObjectsState::whole;
    objects.begin(begin);
    Acquire record;
    record.address = 0x1000;
    record.size = 48;
    record.api = Api::PyObject_Malloc;
    objects.acquire(record, 0, 0, 0);
    CHECK(held_memory(heap, maps, objects).objects.size() == 1);
    CHECK(held_memory(heap, maps, objects).has_all_objects);
    begin.state = PythonObjectsState::late;
    objects.begin(begin);
    CHECK(held_memory(heap, maps, objects).objects.empty());
}
