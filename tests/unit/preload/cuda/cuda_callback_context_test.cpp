// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_callback_context.h"

#include <thread>

#include "tests/unit/test.h"

using namespace memtrace::preload::cuda;

TEST_CASE("a thread is told something while it has a place, and others are not", "[cupti]") {
    CHECK(told() == nullptr);
    const unsigned place = take_callback_place();
    REQUIRE(place != 0);
    CHECK(callback_place() == place);
    CHECK(told() == nullptr);  // in the driver, but not in a callback of it
    {
        const OnlyTold guard(Told{0x5000, 3});
        REQUIRE(told() != nullptr);
        CHECK(told()->context == 0x5000);
        CHECK(told()->device == 3);
        std::thread([place] {
            CHECK(told() == nullptr);
            CHECK(take_callback_place() != place);
            give_callback_place();
        }).join();
    }
    CHECK(told() == nullptr);
    give_callback_place();
    CHECK(callback_place() == 0);
}

TEST_CASE("without a place nothing is said, to nobody", "[cupti]") {
    const OnlyTold guard(Told{0x6000, 1});
    CHECK(told() == nullptr);
}
