// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_space.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("blocks of a space: by site, by class, temporary ones") {
    GpuSpace space("device:0");
    const GpuHolding kept = space.acquire(100, 1, "device", 10, {});
    const GpuHolding short_lived = space.acquire(50, 2, "array", 20, {});
    space.release(short_lived, 30, 0);
    const GpuHolding other_thread = space.acquire(7, 2, "array", 40, {});
    space.release(other_thread, 50, 1);
    CHECK(space.live_bytes() == kept.bytes);
    const Space result = space.counter().finish();
    CHECK(result.totals.allocations == 3);
    CHECK(result.totals.temporary == 1);
    CHECK(result.totals.at_peak_bytes == 150);
    CHECK(result.classes.at("device").live_bytes == 100);
    CHECK(result.classes.at("array").allocated_bytes == 57);
}

TEST_CASE("a group is one block that grows and shrinks; only what is new counts as allocated") {
    GpuSpace space("device:0");
    space.set_group(Group::pool_cache, 0, 0, 5);
    CHECK(space.counter().empty());
    space.set_group(Group::pool_cache, 100, 100, 10);
    space.set_group(Group::pool_cache, 40, 0, 20);
    space.set_group(Group::pool_cache, 90, 0, 30);  // a block came back to the pool
    CHECK(space.live_bytes() == 90);
    CHECK(space.held_sites().at(0).blocks == 1);
    space.set_group(Group::pool_cache, 0, 0, 40);
    const Space result = space.counter().finish();
    CHECK(result.sites.at(0).stack == stack_of(Group::pool_cache));
    CHECK(result.totals.allocations == 1);
    CHECK(result.totals.frees == 1);
    CHECK(result.totals.allocated_bytes == 100);
    CHECK(result.totals.own_peak_bytes == 100);
    CHECK(result.totals.live_bytes == 0);
}

TEST_CASE("who holds what, and how much more than at the mark") {
    GpuSpace space("device:0");
    const GpuHolding first = space.acquire(100, 1, "", 10, {});
    space.acquire(10, 2, "", 11, {});
    CHECK_FALSE(space.mark_time().has_value());
    space.mark(20);
    space.acquire(5, 2, "", 30, {});
    space.release(first, 31, 0);
    space.acquire(70, 1, "", 32, {});
    const auto held = space.held_sites();
    REQUIRE(held.size() == 2);
    CHECK(held[0].bytes == 70);
    CHECK(held[0].since_mark == -30);
    CHECK(held[1].bytes == 15);
    CHECK(held[1].since_mark == 5);
    CHECK(space.mark_time() == 20);
}
