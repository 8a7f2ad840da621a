// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/gpu_crosscheck.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("answers are told apart by each of their numbers, and by their order", "[crosscheck]") {
    CHECK(mixed(1, 2) == mixed(1, 2));
    CHECK(mixed(1, 2) != mixed(2, 1));
    CHECK(mixed(1, 2) != mixed(1, 3));
    CHECK(mixed(1) != mixed(1, 0));
    CHECK(mixed(0x7f0000000000, 512) + mixed(0x7f0000000200, 512) !=
          mixed(0x7f0000000000, 1024) + mixed(0x7f0000000200, 0));
}
