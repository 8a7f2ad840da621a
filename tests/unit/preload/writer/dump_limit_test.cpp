// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/dump_limit.h"

#include <sys/resource.h>

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
    // The file system lists the pieces of a file with holes in blocks that count, too.
    constexpr uint64_t room = (1 << 19) - (16 << 10);
    CHECK(dump_limit::grown(length, length + room, given_back) == length + room);
    CHECK(dump_limit::grown(length, length + room + 1, given_back) == 0);
}

TEST_CASE("a limit on the length of files makes a sample before it is reached", "[dump_limit]") {
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto halvings_at = [&](uint64_t limit, uint64_t length) {
        const rlimit lower{limit, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &lower);
        const unsigned halvings = dump_limit::halvings_of_length(length);
        setrlimit(RLIMIT_FSIZE, &before);
        return halvings;
    };
    CHECK(halvings_at(1 << 20, 1 << 20) == 0);  // without max_dump
    const Limited limited(1 << 20);
    CHECK(halvings_at(RLIM_INFINITY, uint64_t{1} << 40) == 0);
    // Far more is allowed than max_dump: it counts when less than half of that is left.
    CHECK(halvings_at(16 << 20, 15 << 20) == 0);
    CHECK(halvings_at(16 << 20, (15 << 20) + (1 << 19)) == 1);
    CHECK(halvings_at(16 << 20, 16 << 20) == 16);
    CHECK(halvings_at(16 << 20, 17 << 20) == 16);
    // Less is allowed than max_dump.
    CHECK(halvings_at(1 << 16, 0) == 0);
    CHECK(halvings_at(1 << 16, 1 << 15) == 1);
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
