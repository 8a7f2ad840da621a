// SPDX-License-Identifier: Apache-2.0
//
// Rules D3, D4 and D8: the figures that result from pools, graphs and pages.
#include "analyzer/gpu/gpu_card.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a pool holds what it reserved, and never less than it handed out") {
    GpuCard card(0);
    const GpuHolding first = card.acquire_pooled(9, 100, 1, "pooled", 10, {});
    CHECK(card.figures(0).held == 100);  // The reserved size is not known yet.
    card.pool_is(9, {1000, 0}, 20);
    CHECK(card.figures(0).held == 1000);
    const GpuHolding second = card.acquire_pooled(9, 300, 2, "pooled", 30, {});
    CHECK(card.figures(0).held == 1000);  // It was cut from the pool's kept bytes.
    const GpuHolding third = card.acquire_pooled(9, 900, 2, "pooled", 40, {});
    CHECK(card.figures(0).held == 1300);
    card.release_pooled(9, third, 50, 0);
    CHECK(card.figures(0).held == 1000);
    card.pool_is(9, {400, 0}, 60);  // trimmed
    CHECK(card.figures(0).held == 400);
    card.release_pooled(9, second, 70, 0);
    card.release_pooled(9, first, 80, 0);
    CHECK(card.figures(0).held == 400);
    card.pool_is(9, {0, 0}, 90);  // destroyed
    CHECK(card.figures(0).held == 0);
    const Space space = card.space().counter().finish();
    CHECK(space.totals.own_peak_bytes == 1300);
    CHECK(space.totals.live_blocks == 0);
    // What the program requested, and not what the pool reserved.
    CHECK(space.totals.allocated_bytes == 100 + 300 + 900);
    CHECK(space.totals.allocations == 3);
    CHECK(space.classes.at("kept_by_pools").own_peak_bytes == 900);
}

TEST_CASE("two pools keep what they keep, each for itself") {
    GpuCard card(0);
    card.pool_is(1, {100, 0}, 10);
    card.pool_is(2, {50, 0}, 11);
    const GpuHolding block = card.acquire_pooled(2, 70, 1, "pooled", 12, {});
    CHECK(card.figures(0).held == 170);
    card.release_pooled(2, block, 13, 0);
    CHECK(card.figures(0).held == 150);
}

TEST_CASE("what a pool handed out while nothing was recorded is not kept by it") {
    GpuCard card(0);
    const GpuHolding block = card.acquire_pooled(9, 2, 1, "pooled", 10, {});
    card.pool_is(9, {224, 202, 1}, 11);
    CHECK(card.figures(0).held == 24);
    card.pool_is(9, {224, 102, 1}, 12);  // 100 of it were given back
    CHECK(card.figures(0).held == 124);
    card.pool_is(9, {224, 202, 1}, 13);  // another thread's block, not written yet
    CHECK(card.figures(0).held == 124);
    card.release_pooled(9, block, 14, 0);
    CHECK(card.figures(0).held == 124);
    card.pool_is(9, {224, 200, 2}, 15);  // The recording was off again.
    CHECK(card.figures(0).held == 24);
    card.pool_is(9, {0, 0, 2}, 16);
    CHECK(card.figures(0).held == 0);
}

TEST_CASE("without a gap, more in use than was recorded does not change what a pool keeps") {
    GpuCard card(0);
    card.acquire_pooled(9, 2, 1, "pooled", 10, {});
    card.pool_is(9, {32, 7, 0}, 11);
    CHECK(card.figures(0).held == 32);
}

TEST_CASE("the time of the peak does not move while nothing changes") {
    GpuCard card(0);
    card.acquire(1000, 1, "device", 10, {});
    card.look_at_peak(10);
    card.look_at_peak(20);
    CHECK(card.at_peak().time_ns == 10);
    card.segments().add(0x1000, 1000, 0, false, true);
    card.segments().take(0x1000, 100);
    card.look_at_peak(30);
    card.look_at_peak(40);
    CHECK(card.at_peak().time_ns == 30);
}

TEST_CASE("graphs hold what the driver says that they hold") {
    GpuCard card(0);
    card.graphs_reserve(4096, 10);
    CHECK(card.figures(0).held == 4096);
    card.graphs_reserve(1024, 20);
    CHECK(card.figures(0).held == 1024);
    CHECK(card.space().counter().finish().sites.at(0).stack == stack_of(Group::graph_memory));
}

TEST_CASE("the last context takes with it what the driver holds for itself") {
    GpuCard card(0);
    card.add_context(0xc0);
    card.add_context(0xc1);
    card.add_overhead(0xc0, 500);
    card.add_overhead(0xbeef, 70);   // a module
    card.add_overhead(0xbeef, -70);  // unloaded
    card.add_overhead(0xc1, 30);
    card.graphs_reserve(1000, 5);
    card.pool_is(9, {1000, 0}, 6);
    CHECK(card.figures(0).context == 530);
    card.end_context(0xc0, 10);
    CHECK(card.figures(0).context == 30);
    CHECK(card.figures(0).held == 2000);
    card.end_context(0xc1, 20);
    CHECK(card.figures(0).context == 0);
    CHECK(card.figures(0).held == 0);
}

TEST_CASE("slack: small blocks share pages of 2 MiB, large ones have their own") {
    constexpr uint64_t mib = 1 << 20;
    GpuCard card(0);
    CHECK(card.figures(0).slack == 0);
    const GpuHolding small = card.acquire(mib / 2, 1, "device", 10, {});
    card.acquire(mib / 2, 1, "device", 11, {});
    CHECK(card.figures(0).slack == mib);
    const GpuHolding large = card.acquire(3 * mib, 1, "device", 12, {});
    CHECK(card.figures(0).slack == 2 * mib);
    card.acquire(4 * mib, 1, "device", 13, {});
    CHECK(card.figures(0).slack == 2 * mib);
    card.release(large, 14, 0);
    card.release(small, 15, 0);
    CHECK(card.figures(0).slack == mib + mib / 2);
}

TEST_CASE("the peak is looked at when most of its segments was handed out") {
    GpuCard card(0);
    card.acquire(1000, 1, "device", 10, {});
    card.segments().add(0x1000, 1000, 0, false, true);
    card.look_at_peak(10);
    CHECK(card.at_peak().tensors == 0);
    card.segments().take(0x1000, 800);
    card.look_at_peak(20);
    CHECK(card.at_peak().tensors == 800);
    card.segments().give(0x1000, 800);
    card.look_at_peak(30);
    CHECK(card.at_peak().tensors == 800);
    CHECK(card.at_peak().time_ns == 20);
    const GpuHolding more = card.acquire(5, 1, "device", 40, {});
    card.look_at_peak(40);
    CHECK(card.at_peak().held == 1005);
    CHECK(card.at_peak().tensors == 0);
    card.release(more, 50, 0);
    card.segments().take(0x1000, 900);  // no longer at the peak
    card.look_at_peak(60);
    CHECK(card.at_peak().tensors == 0);
}
