// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/dump_limit.h"

#include "preload/base/options.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

struct Limited {
    explicit Limited(uint64_t bytes) { options.max_dump = bytes; }
    ~Limited() { options.max_dump = 0; }
};

}  // namespace

TEST_CASE("without a limit, a dump grows as it likes", "[dump_limit]") {
    CHECK_FALSE(dump_limit::forbids(uint64_t{1} << 60));
    CHECK(dump_limit::halvings_of_room(uint64_t{1} << 60) == 0);
    CHECK(dump_limit::has_room_for_ring(uint64_t{1} << 60, 1 << 20));
    CHECK(dump_limit::grown(0, 100, 0) >= 100 + (256 << 10));
}

TEST_CASE("room is counted in halves", "[dump_limit]") {
    const Limited limited(1 << 20);
    CHECK(dump_limit::halvings_of_room(0) == 0);
    CHECK(dump_limit::halvings_of_room((1 << 19) - 1) == 0);
    CHECK(dump_limit::halvings_of_room(1 << 19) == 1);
    CHECK(dump_limit::halvings_of_room(3 << 18) == 2);
    CHECK(dump_limit::halvings_of_room((1 << 20) - 1) == 16);
    CHECK(dump_limit::halvings_of_room(1 << 21) == 16);
}

TEST_CASE("spare room never exceeds the limit", "[dump_limit]") {
    const Limited limited((1 << 20) + 7);
    CHECK(dump_limit::grown(1 << 19, 1 << 19, 0) <= (1 << 20) + 7);
    CHECK(dump_limit::grown(1 << 20, (1 << 20) + 7, 0) == (1 << 20) + 7);
    CHECK(dump_limit::grown(1 << 20, (1 << 20) + 8, 0) == 0);
    CHECK(dump_limit::has_room_for_ring(0, 1 << 16));
    CHECK_FALSE(dump_limit::has_room_for_ring(1 << 19, 1 << 16));
}

TEST_CASE("what was given back counts for the length of the file, and not for the limit",
          "[dump_limit]") {
    const Limited limited(1 << 20);
    constexpr uint64_t length = 5 << 20, given_back = 9 << 19;  // Half of the limit is used.
    CHECK(dump_limit::grown(length, length + 100, given_back) > length + 100);
    CHECK(dump_limit::grown(length, length + (1 << 19), given_back) == length + (1 << 19));
    CHECK(dump_limit::grown(length, length + (1 << 19) + 1, given_back) == 0);
}

TEST_CASE("a dump that is full says so and stays within its limit", "[dump_limit][dump_file]") {
    const Limited limited(1 << 20);
    const memtrace::test::TestRecording recording;
    uint32_t rings = 0;
    while (dump_file::add_ring(rings, 1024) != nullptr) ++rings;
    CHECK(rings > 30);
    CHECK(dump_file::is_full());
    CHECK(dump_file::header().file_end <= 1 << 20);
    CHECK_FALSE(recording.read().damaged);
}
