// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_callback_context.h"

#include <thread>

#include "tests/unit/test.h"

using namespace memtrace::preload::cuda;

TEST_CASE("a thread is told something while it has a place, and others are not", "[cupti]") {
    CHECK(callback_context() == nullptr);
    const unsigned place = take_callback_place();
    REQUIRE(place != 0);
    CHECK(callback_place() == place);
    CHECK(callback_context() == nullptr);  // in a call of the driver, but not in its callback
    {
        const CallbackScope guard(CallbackContext{0x5000, 3});
        REQUIRE(callback_context() != nullptr);
        CHECK(callback_context()->context == 0x5000);
        CHECK(callback_context()->device == 3);
        std::thread([place] {
            CHECK(callback_context() == nullptr);
            CHECK(take_callback_place() != place);
            give_callback_place();
        }).join();
    }
    CHECK(callback_context() == nullptr);
    give_callback_place();
    CHECK(callback_place() == 0);
}

TEST_CASE("without a place nothing is said, to nobody", "[cupti]") {
    const CallbackScope guard(CallbackContext{0x6000, 1});
    CHECK(callback_context() == nullptr);
}
