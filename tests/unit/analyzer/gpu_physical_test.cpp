// SPDX-License-Identifier: Apache-2.0
//
// Rule D2: bytes belong to the handle, and live while it has references or mappings.
#include "analyzer/gpu_physical.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::GpuMemory;
using Fault = GpuPhysical::Fault;

namespace {

GpuPhysical::Memory memory(uint64_t handle, uint64_t size) {
    GpuPhysical::Memory result;
    result.handle = handle;
    result.size = size;
    return result;
}

}  // namespace

TEST_CASE("released as soon as it is mapped, freed when it is unmapped") {
    GpuPhysical physical;
    GpuPhysical::Freed freed;
    CHECK(physical.create(memory(1, 0x2000), freed) == Fault::none);
    CHECK(physical.map(0x10000, 0x2000, 1, freed) == Fault::none);
    CHECK(physical.release(1, freed) == Fault::none);
    CHECK(freed.empty());
    CHECK(physical.unmap(0x10000, 0x2000, freed) == Fault::none);
    REQUIRE(freed.size() == 1);
    CHECK(freed[0].size == 0x2000);
    CHECK(physical.find(1) == nullptr);
}

TEST_CASE("never mapped: freed by the last of its references") {
    GpuPhysical physical;
    GpuPhysical::Freed freed;
    physical.create(memory(1, 0x1000), freed);
    CHECK(physical.retain(1) == Fault::none);
    physical.release(1, freed);
    CHECK(freed.empty());
    physical.release(1, freed);
    CHECK(freed.size() == 1);
    CHECK(physical.release(1, freed) == Fault::released_while_not_live);
    CHECK(physical.retain(1) == Fault::used_while_not_live);
}

TEST_CASE("mapped twice: both mappings must go") {
    GpuPhysical physical;
    GpuPhysical::Freed freed;
    physical.create(memory(1, 0x2000), freed);
    physical.map(0x10000, 0x2000, 1, freed);
    physical.map(0x20000, 0x2000, 1, freed);
    physical.release(1, freed);
    physical.unmap(0x20000, 0x2000, freed);
    CHECK(freed.empty());
    physical.unmap(0x10000, 0x2000, freed);
    CHECK(freed.size() == 1);
}

TEST_CASE("one unmapping may end several mappings, of several handles") {
    GpuPhysical physical;
    GpuPhysical::Freed freed;
    for (uint64_t handle = 1; handle <= 3; ++handle) {
        physical.create(memory(handle, 0x1000), freed);
        physical.map(0x10000 + handle * 0x1000, 0x1000, handle, freed);
        physical.release(handle, freed);
    }
    CHECK(physical.unmap(0x11000, 0x2000, freed) == Fault::none);
    CHECK(freed.size() == 2);
    CHECK(physical.unmap(0x11000, 0x1000, freed) == Fault::released_while_not_live);
    CHECK(physical.unmap(0x13000, 0x1000, freed) == Fault::none);
    CHECK(freed.size() == 3);
}

TEST_CASE("a handle that was given back may come again while its memory is still mapped") {
    GpuPhysical physical;
    GpuPhysical::Freed freed;
    physical.create(memory(1, 0x1000), freed);
    physical.map(0x10000, 0x1000, 1, freed);
    physical.release(1, freed);
    CHECK(physical.create(memory(1, 0x5000), freed) == Fault::none);
    CHECK(freed.empty());
    physical.unmap(0x10000, 0x1000, freed);
    REQUIRE(freed.size() == 1);
    CHECK(freed[0].size == 0x1000);
    CHECK(physical.find(1)->size == 0x5000);
}

TEST_CASE("a handle that has references cannot come again: something was missed") {
    GpuPhysical physical;
    GpuPhysical::Freed freed;
    physical.create(memory(1, 0x1000), freed);
    CHECK(physical.create(memory(1, 0x2000), freed) == Fault::acquired_while_live);
    CHECK(freed.size() == 1);
    CHECK(physical.map(0x10000, 0x1000, 9, freed) == Fault::used_while_not_live);
    physical.map(0x10000, 0x1000, 1, freed);
    CHECK(physical.map(0x10000, 0x1000, 1, freed) == Fault::acquired_while_live);
    physical.release(1, freed);
    physical.unmap(0x10000, 0x1000, freed);
    CHECK(freed.size() == 2);
}
