// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/life_table.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("life_table: lives by site, and those that are brief by either limit") {
    WatchRequest request;
    request.lives = true;
    request.events_max = 3;
    request.time_max_ns = 100;
    LifeTable table(request);
    table.ended(1, {1, 10}, true, {3, 5000});
    table.ended(1, {1, 20}, false, {4, 100});
    table.ended(1, {1, 40}, false, {4, 101});
    table.alive(2, {1, 80});
    SpaceWatch watch;
    table.finish(watch);
    CHECK(watch.lives[1].all == BlockSum{3, 70});
    CHECK(watch.lives[1].temporary == BlockSum{1, 10});
    CHECK(watch.lives[1].brief == BlockSum{2, 30});
    CHECK(watch.lives[2].alive == BlockSum{1, 80});
    CHECK(watch.bars.empty());
}

TEST_CASE("life_table: bars of each scale add up, and a sampled block has the size of one") {
    WatchRequest request;
    request.bars = true;
    LifeTable table(request);
    table.ended(1, {10, 640}, false, {2, 300});  // ten blocks of 64 bytes
    table.ended(1, {1, 64}, false, {2, 400});
    table.alive(1, {1, 70});
    SpaceWatch watch;
    table.finish(watch);
    REQUIRE(watch.bars.size() == 3);
    for (const LifeBar& bar : watch.bars) {
        CHECK(bar.ended == BlockSum{11, 704});
        CHECK(bar.alive == (bar.scale == LifeScale::size ? BlockSum{1, 70} : BlockSum{}));
    }
    CHECK(watch.lives.empty());
}
