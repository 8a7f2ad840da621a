// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/thread_shares.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("thread_shares: what each thread held when all together held most") {
    ThreadShares shares(false);
    shares.open(0);
    const uint32_t a = shares.pair(0, 5), b = shares.pair(1, 5);
    CHECK(shares.pair(0, 5) == a);
    const uint64_t first = shares.acquire(a, 100, 1, 1);
    shares.acquire(b, 30, 1, 2);
    shares.release(a, {1, 100}, first, false, 1);
    shares.acquire(b, 20, 1, 3);
    shares.close();
    const auto found = shares.finish();
    REQUIRE(found.size() == 2);
    CHECK(found[0].totals.at_peak_bytes == 100);
    CHECK(found[1].totals.at_peak_bytes == 30);
    CHECK(found[1].totals.live_bytes == 50);
    CHECK(found[0].freed_by_others == BlockSum{1, 100});
    CHECK(found[1].freed_by_others == BlockSum{});
}

TEST_CASE("thread_shares: a range has its own figures, with what was held before") {
    ThreadShares shares(true);
    const uint32_t a = shares.pair(0, 1), b = shares.pair(1, 1);
    const uint64_t old = shares.acquire(a, 100, 1, 1);
    shares.open(5);
    shares.acquire(b, 10, 1, 6);
    shares.release(a, {1, 100}, old, false, 1);
    shares.close();
    const auto found = shares.finish();
    CHECK(found[0].totals.allocations == 0);
    CHECK(found[0].totals.at_peak_bytes == 100);
    CHECK(found[1].totals.allocations == 1);
    CHECK(found[1].totals.at_peak_bytes == 10);
    CHECK(found[0].freed_by_others.blocks == 1);
}

TEST_CASE("thread_shares: a block that shrinks lives on") {
    ThreadShares shares(false);
    shares.open(0);
    const uint32_t a = shares.pair(0, 1);
    const uint64_t block = shares.acquire(a, 100, 1, 1);
    shares.release(a, {0, 60}, block, false, 0);
    CHECK(shares.finish()[0].totals.live_bytes == 40);
}

TEST_CASE("thread_shares: a range holds what was held when the work ended, if it lasts so long") {
    for (const bool is_told : {true, false}) {
        ThreadShares shares(true);
        const uint32_t a = shares.pair(0, 1);
        shares.open(5);
        const uint64_t block = shares.acquire(a, 100, 1, 6);
        if (is_told) shares.end_work();
        shares.release(a, {1, 100}, block, false, 0);
        shares.close();
        const Totals totals = shares.finish()[0].totals;
        CHECK(totals.held_bytes == (is_told ? 100 : 0));
        CHECK(totals.live_bytes == 0);
    }
}
