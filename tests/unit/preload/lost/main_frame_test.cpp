// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/main_frame.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("a test runs below main(), which has not returned") {
    const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    CHECK(start_of_process_stack() > here);
    CHECK_FALSE(has_main_returned(here));
}

TEST_CASE("from the start of the process on, nothing is the program's") {
    CHECK(has_main_returned(start_of_process_stack()));
}
