// SPDX-License-Identifier: Apache-2.0
#include "preload/session/address_room.h"

#include <sys/resource.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("without a limit there is all room") {
    CHECK(address_room_of(UINT64_MAX, UINT64_MAX, 100, 50) == UINT64_MAX);
}

TEST_CASE("the tighter of two limits counts, and what is used already is gone") {
    CHECK(address_room_of(1000, UINT64_MAX, 100, 50) == 900);
    CHECK(address_room_of(1000, 500, 100, 50) == 450);
    CHECK(address_room_of(1000, 500, 2000, 50) == 0);
}

TEST_CASE("the room of this process is that of its limit less what it has") {
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
    if (before.rlim_cur != RLIM_INFINITY) return;
    const rlimit lowered{uint64_t{1} << 62, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_DATA, &lowered) == 0);
    const uint64_t room = address_room();
    REQUIRE(setrlimit(RLIMIT_DATA, &before) == 0);
    CHECK(room < uint64_t{1} << 62);
    CHECK(room > uint64_t{1} << 61);
}
