// SPDX-License-Identifier: Apache-2.0
#include "preload/base/thread_state.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

const void* frame_at(uint64_t address) { return reinterpret_cast<const void*>(address); }

}  // namespace

TEST_CASE("what the driver calls lies below the hook on the stack", "[thread]") {
    CHECK_FALSE(is_inside_driver(frame_at(0x7ffd'0000'1000)));
    {
        const DriverScope driver(frame_at(0x7ffd'0000'1000));
        CHECK(is_inside_driver(frame_at(0x7ffd'0000'0fc0)));
        CHECK(is_inside_driver(frame_at(0x7ffc'fffa'0000)));  // 388 KiB of stack
        CHECK_FALSE(is_inside_driver(frame_at(0x7ffd'0000'1000)));
        CHECK_FALSE(is_inside_driver(frame_at(0x7ffd'0000'1100)));
    }
    CHECK_FALSE(is_inside_driver(frame_at(0x7ffd'0000'0fc0)));
}
