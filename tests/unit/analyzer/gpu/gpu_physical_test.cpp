// SPDX-License-Identifier: Apache-2.0
//
// Rule D2: bytes belong to the handle, and live while it has references or mappings.
#include "analyzer/gpu/gpu_physical.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::GpuMap;
using memtrace::GpuRelease;
using memtrace::GpuUnmap;
using Fault = GpuPhysical::Fault;

namespace {

GpuPhysical::Memory memory(uint64_t handle, uint64_t size) {
    GpuPhysical::Memory result;
    result.handle = handle;
    result.size = size;
    return result;
}

void create(GpuPhysical& physical, const GpuPhysical::Memory& memory, uint32_t lane,
            GpuPhysical::Ended& ended) {
    physical.overtake(memory.handle, memory.since, lane, ended);
    physical.create(memory);
}

GpuRelease release_of(uint64_t handle) { return {50, memtrace::Api::cuMemRelease, handle, 0}; }
GpuMap map_of(uint64_t address, uint64_t size, uint64_t handle) {
    return {10, memtrace::Api::cuMemMap, address, size, handle, 0};
}
GpuUnmap unmap_of(uint64_t address, uint64_t size) {
    return {60, memtrace::Api::cuMemUnmap, address, size, 0};
}

}  // namespace

TEST_CASE("released as soon as it is mapped, freed when it is unmapped") {
    GpuPhysical physical;
    GpuPhysical::Ended ended;
    create(physical, memory(1, 0x2000), 0, ended);
    CHECK(physical.map(map_of(0x10000, 0x2000, 1), 0, ended) == Fault::none);
    CHECK(physical.release(release_of(1), ended) == Fault::none);
    CHECK(ended.memories.empty());
    CHECK(physical.unmap(unmap_of(0x10000, 0x2000), ended) == Fault::none);
    REQUIRE(ended.memories.size() == 1);
    CHECK(ended.memories[0].size == 0x2000);
    CHECK(physical.find(1) == nullptr);
}

TEST_CASE("never mapped: freed by the last of its references") {
    GpuPhysical physical;
    GpuPhysical::Ended ended;
    create(physical, memory(1, 0x1000), 0, ended);
    CHECK(physical.retain(1) == Fault::none);
    physical.release(release_of(1), ended);
    CHECK(ended.memories.empty());
    physical.release(release_of(1), ended);
    CHECK(ended.memories.size() == 1);
    CHECK(physical.release(release_of(1), ended) == Fault::released_while_not_live);
    CHECK(physical.retain(1) == Fault::used_while_not_live);
}

TEST_CASE("mapped twice: both mappings must go") {
    GpuPhysical physical;
    GpuPhysical::Ended ended;
    create(physical, memory(1, 0x2000), 0, ended);
    physical.map(map_of(0x10000, 0x2000, 1), 0, ended);
    physical.map(map_of(0x20000, 0x2000, 1), 0, ended);
    physical.release(release_of(1), ended);
    physical.unmap(unmap_of(0x20000, 0x2000), ended);
    CHECK(ended.memories.empty());
    physical.unmap(unmap_of(0x10000, 0x2000), ended);
    CHECK(ended.memories.size() == 1);
}

TEST_CASE("one unmapping may end several mappings, of several handles") {
    GpuPhysical physical;
    GpuPhysical::Ended ended;
    for (uint64_t handle = 1; handle <= 3; ++handle) {
        create(physical, memory(handle, 0x1000), 0, ended);
        physical.map(map_of(0x10000 + handle * 0x1000, 0x1000, handle), 0, ended);
        physical.release(release_of(handle), ended);
    }
    CHECK(physical.unmap(unmap_of(0x11000, 0x2000), ended) == Fault::none);
    CHECK(ended.memories.size() == 2);
    CHECK(physical.unmap(unmap_of(0x11000, 0x1000), ended) == Fault::released_while_not_live);
    CHECK(physical.unmap(unmap_of(0x13000, 0x1000), ended) == Fault::none);
    CHECK(ended.memories.size() == 3);
}

TEST_CASE("a handle that was given back may come again while its memory is still mapped") {
    GpuPhysical physical;
    GpuPhysical::Ended ended;
    create(physical, memory(1, 0x1000), 0, ended);
    physical.map(map_of(0x10000, 0x1000, 1), 0, ended);
    physical.release(release_of(1), ended);
    create(physical, memory(1, 0x5000), 0, ended);
    CHECK(ended.memories.empty());
    physical.unmap(unmap_of(0x10000, 0x1000), ended);
    REQUIRE(ended.memories.size() == 1);
    CHECK(ended.memories[0].size == 0x1000);
    CHECK(physical.find(1)->size == 0x5000);
}

TEST_CASE("a handle that has references comes again: a release must explain that") {
    GpuPhysical physical;
    GpuPhysical::Ended ended;
    create(physical, memory(1, 0x1000), 0, ended);
    create(physical, memory(1, 0x2000), 3, ended);
    CHECK(ended.memories.size() == 1);
    CHECK(physical.map(map_of(0x10000, 0x1000, 9), 0, ended) == Fault::used_while_not_live);
    physical.map(map_of(0x10000, 0x1000, 1), 0, ended);
    physical.map(map_of(0x10000, 0x1000, 1), 4, ended);
    CHECK(ended.mappings.size() == 1);
    uint32_t lanes = 0;
    physical.for_each_overtaken([&](uint64_t, uint64_t, uint32_t lane) { lanes += lane; });
    CHECK(lanes == 7);
    physical.release(release_of(1), ended);
    physical.unmap(unmap_of(0x10000, 0x1000), ended);
    CHECK(ended.memories.size() == 2);
}
