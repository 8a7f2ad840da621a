// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/stamp_order.h"

#include <thread>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Calls work(lane) in another thread, with that thread's lane.
template <class Work>
void in_another_thread(Work&& work) {
    std::thread([&] { work(*ThreadLane::of_this_thread()); }).join();
}

}  // namespace

TEST_CASE("the first lane waits once, and then only when others recorded something", "[order]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    CHECK(StampOrder::has_to_wait(lane));
    CHECK_FALSE(StampOrder::has_to_wait(lane));
    StampOrder::publish(&lane);
    CHECK_FALSE(StampOrder::has_to_wait(lane));
    in_another_thread([](ThreadLane& other) { StampOrder::publish(&other); });
    CHECK(StampOrder::has_to_wait(lane));
    CHECK_FALSE(StampOrder::has_to_wait(lane));
}

TEST_CASE("every other lane waits always", "[order]") {
    const test::TestRecording recording;
    ThreadLane::of_this_thread();
    in_another_thread([](ThreadLane& other) {
        for (int i = 0; i < 3; ++i) CHECK(StampOrder::has_to_wait(other));
    });
}

TEST_CASE("where several threads work nobody is favoured", "[order]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    StampOrder::has_to_wait(lane);
    REQUIRE_FALSE(StampOrder::has_to_wait(lane));
    in_another_thread([](ThreadLane& other) {
        for (int i = 0; i < 5'000; ++i) StampOrder::publish(&other);
    });
    for (int i = 0; i < 3; ++i) CHECK(StampOrder::has_to_wait(lane));
}

TEST_CASE("a thread stays favoured when it moves to a larger lane", "[order]") {
    const test::TestRecording recording;
    ThreadLane* const small = ThreadLane::of_this_thread();
    for (int i = 0; i < 5'000; ++i) {
        record_acquire(Api::malloc, &recording, 8, __builtin_frame_address(0));
        record_release(Api::free, &recording);
    }
    ThreadLane* const large = ThreadLane::of_this_thread();
    REQUIRE(large != small);
    StampOrder::has_to_wait(*large);
    CHECK_FALSE(StampOrder::has_to_wait(*large));
    CHECK(StampOrder::has_to_wait(*small));
}
