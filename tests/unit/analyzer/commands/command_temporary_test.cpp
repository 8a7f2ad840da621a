// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("temporary: other limits than the next allocation") {
    const WatchRequest plain = load_options_of({"temporary", "a.bin"}).watch;
    CHECK(plain.lives);
    CHECK_FALSE(plain.needs_clock());
    const WatchRequest typed =
        load_options_of({"temporary", "a.bin", "--events", "9", "--within", "100us"}).watch;
    CHECK(typed.events_max == 9);
    CHECK(typed.time_max_ns == 100'000);
    CHECK(typed.needs_clock());
    CHECK(is_refused({"temporary", "a.bin", "--within", "soon"}));
    CHECK(is_refused({"temporary", "a.bin", "--within", "0"}));
    CHECK(is_refused({"temporary", "a.bin", "--events", "0"}));
}
