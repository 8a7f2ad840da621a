// SPDX-License-Identifier: Apache-2.0
//
// A site is a row of 16-bit figures until its figures need more.
#include "analyzer/model/sites.h"

#include <catch2/catch.hpp>

using memtrace::analyzer::Site;
using memtrace::analyzer::Sites;
using memtrace::analyzer::Totals;

namespace {

constexpr uint64_t gib = uint64_t{1} << 30;

}  // namespace

TEST_CASE("sites: the figures of small and huge blocks are exact") {
    for (const uint64_t bytes :
         {uint64_t{16}, uint64_t{40'000}, uint64_t{70'000}, 3 * gib, 5 * gib}) {
        Sites sites;
        sites.push_back({7, {}, 3});
        sites.push_back({8, {}, 0});
        sites.acquire(0, bytes, 1);
        sites.acquire(0, bytes, 1);
        sites.keep(0, true, false, false);
        sites.release(0, bytes, true, 1);
        sites.keep(0, false, true, true);
        sites.acquire(1, 1, 1);
        const Site site = sites[0];
        CHECK(site.stack == 7);
        CHECK(site.backward == 3);
        CHECK(site.totals ==
              Totals{2, 1, 2 * bytes, 1, bytes, 2, 2 * bytes, 2 * bytes, 1, 1, bytes, bytes});
        CHECK(sites.allocations(0) == 2);
        CHECK(sites.totals(1) == Totals{1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0});
    }
}

TEST_CASE("sites: more than 2^16 and 2^32 blocks are counted") {
    for (const uint64_t most : {uint64_t{UINT16_MAX}, uint64_t{UINT32_MAX}}) {
        Sites sites{{1, {}, 0}};
        sites.acquire(0, 10, most);
        sites.release(0, 10, false, most);
        sites.acquire(0, 10, 2);
        CHECK(sites.allocations(0) == most + 2);
        CHECK(sites.totals(0).allocations == most + 2);
        CHECK(sites.totals(0).live_blocks == 2);
    }
}

TEST_CASE("sites: each of a hundred thousand that need more room keeps its own figures") {
    constexpr uint32_t count = 100'000;
    Sites sites;
    for (uint32_t i = 0; i < count; ++i) sites.push_back(i, i % 7);
    for (uint32_t i = 0; i < count; ++i) sites.acquire(i, UINT16_MAX + i, 1);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < count; ++i) {
        wrong += sites[i].totals.live_bytes != UINT16_MAX + i || sites.stack(i) != i ||
                 sites.backward(i) != i % 7;
    }
    CHECK(wrong == 0);
}

TEST_CASE("sites: a block that grows and shrinks moves the peak") {
    Sites sites{{1, {}, 0}};
    sites.grow(0, 4 * gib - 1, 5);
    sites.grow(0, 2, 2);
    sites.shrink(0, 4 * gib);
    CHECK(sites.totals(0).live_bytes == 1);
    CHECK(sites.totals(0).allocated_bytes == 7);
    CHECK(sites.totals(0).own_peak_bytes == 4 * gib + 1);
}

TEST_CASE("sites: totals can be replaced, and sites removed") {
    Sites sites;
    for (uint32_t stack = 1; stack <= 4; ++stack) {
        Totals totals;
        totals.allocated_bytes = stack * 3 * gib;
        sites.push_back({stack, totals, 0});
    }
    sites.set_totals(1, {});
    sites.erase_if([](const Site& site) { return site.totals.allocated_bytes == 0; });
    REQUIRE(sites.size() == 3);
    uint64_t sum = 0;
    for (const Site& site : sites) {
        CHECK(site.totals.allocated_bytes == site.stack * 3 * gib);
        sum += site.stack;
    }
    CHECK(sum == 8);
}
