// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/high_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("a descriptor moves out of the way of the program's", "[high_descriptor]") {
    const int low = open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(low >= 0);
    const int high = to_high_number(low);
    CHECK(high > 100);
    CHECK(fcntl(low, F_GETFD) == -1);
    CHECK((fcntl(high, F_GETFD) & FD_CLOEXEC) != 0);
    const int next = duplicate_above(high, high + 1);
    CHECK(next > high);
    close(high);
    close(next);
}

TEST_CASE("a number that cannot be had is no error", "[high_descriptor]") {
    const int low = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int other = duplicate_above(low, 1 << 30);
    CHECK(other > low);
    close(low);
    close(other);
}
