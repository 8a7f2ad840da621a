// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/threads.h"

#include <algorithm>
#include <string>

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

namespace {

constexpr uint64_t many = Threads::ended_max;

// One thread after the other, each with an allocation of its number in bytes.
void run_threads(Threads& threads, uint64_t count, bool ends = true) {
    for (uint64_t i = 1; i <= count; ++i) {
        threads.start(7, 1000 + i, 10 * i);
        const uint32_t thread = threads.of_lane(7);
        threads.name(7, 0, "worker-" + std::to_string(i));
        threads.count_allocation(thread, i);
        if (ends) threads.end(7, 10 * i + 5);
    }
}

}  // namespace

TEST_CASE("of more threads than are listed, those that ended later are added up by name") {
    const bool ends = GENERATE(true, false);  // Not every end is in a dump.
    Threads threads;
    run_threads(threads, many + 500, ends);
    Problems problems;
    threads.remark(problems);
    REQUIRE(problems.remarks().size() == 1);
    CHECK_THAT(problems.remarks()[0].text, Catch::Contains("of 499 that ended later"));
    const std::vector<ThreadInfo> found = threads.finish(TickClock(1'000'000'000));
    REQUIRE(found.size() == many + 2);  // The last one has a lane.
    CHECK(count_threads(found) == many + 500);
    CHECK(found[many - 1].name == "worker-10000");
    CHECK(found[many].name == "worker-10500");
    const ThreadInfo& sum = found.back();
    CHECK(sum.name == "worker-#");
    CHECK(sum.tid == 0);
    CHECK(sum.merged == 499);
    CHECK(sum.allocations == 499);
    CHECK(sum.allocated_bytes == (many + 1 + many + 499) * 499 / 2);
    CHECK(sum.start_ns == 10 * (many + 1));
    CHECK(sum.end_ns == 10 * (many + 499) + (ends ? 5 : 10));
}

TEST_CASE("the number of a thread that is added up is given to the next one, and that is told") {
    Threads threads;
    run_threads(threads, many + 1);
    const uint32_t last = threads.of_lane(7);
    CHECK(threads.start(7, 5, 1'000'000));
    CHECK(threads.of_lane(7) == last);
    CHECK_FALSE(threads.has_ended(last));
    CHECK_FALSE(threads.start(8, 6, 1'000'001));
    CHECK(threads.of_lane(8) != last);
}

TEST_CASE("a thread that goes to a larger lane has not ended when another takes the old one") {
    Threads threads;
    run_threads(threads, many + 1);
    threads.start(3, 42, 2'000'000);
    const uint32_t mover = threads.of_lane(3);
    threads.start(4, 42, 2'000'001);
    threads.start(3, 43, 2'000'002);
    CHECK(threads.of_lane(4) == mover);
    CHECK(threads.of_lane(3) != mover);
    CHECK_FALSE(threads.has_ended(mover));
}

TEST_CASE("threads with more different names than are kept share one") {
    Threads threads;
    run_threads(threads, many);
    for (uint64_t i = 0; i <= Threads::names_max + 10; ++i) {
        threads.start(7, 50'000 + i, 1'000'000 + i);
        threads.name(7, 0, std::string(1 + i % 40, static_cast<char>('a' + i / 40)));
        threads.end(7, 1'000'000 + i);
    }
    threads.start(7, 1, 9'000'000);
    const std::vector<ThreadInfo> found = threads.finish(TickClock(1'000'000'000));
    CHECK(count_threads(found) == many + Threads::names_max + 12);
    const auto further = std::find_if(found.begin(), found.end(), [](const ThreadInfo& thread) {
        return thread.name == Threads::further_names;
    });
    REQUIRE(further != found.end());
    CHECK(further->merged >= 10);
}

TEST_CASE("who needs the numbers of threads has all of them") {
    Threads threads;
    threads.list_all();
    run_threads(threads, many + 500);
    const std::vector<ThreadInfo> found = threads.finish(TickClock(1'000'000'000));
    CHECK(found.size() == many + 500);
    CHECK(found[many + 10].name == "worker-10011");
}
