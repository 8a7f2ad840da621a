// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/threads.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a lane is used by one thread after another") {
    Threads threads;
    CHECK_FALSE(threads.knows(2));
    threads.start(2, 100, 5);
    CHECK(threads.knows(2));
    CHECK_FALSE(threads.knows(1));
    CHECK(threads.lanes() == 3);
    const uint32_t first = threads.of_lane(2);
    threads.end(2, 6);
    CHECK(threads.has_ended(first));
    threads.start(2, 101, 7);
    CHECK(threads.of_lane(2) != first);
    CHECK_FALSE(threads.has_ended(threads.of_lane(2)));
}

TEST_CASE("a thread that moves to another lane stays the same, unless it had ended") {
    Threads threads;
    threads.start(0, 100, 5);
    threads.start(1, 100, 9);
    CHECK(threads.of_lane(0) == threads.of_lane(1));
    threads.end(1, 10);
    threads.start(2, 100, 11);  // another thread with the same number
    CHECK(threads.of_lane(2) != threads.of_lane(1));
}

TEST_CASE("events before the first start belong to a thread without a number") {
    Threads threads;
    threads.count_allocation(threads.of_lane(3), 50);
    threads.name(3, 0, "early");
    threads.name(3, 77, "nobody's");
    const std::vector<ThreadInfo> found = threads.finish(TickClock(1'000'000'000));
    REQUIRE(found.size() == 1);
    CHECK(found[0].tid == 0);
    CHECK(found[0].name == "early");
    CHECK(found[0].allocated_bytes == 50);
}
