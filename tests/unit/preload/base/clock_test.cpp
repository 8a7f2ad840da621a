// SPDX-License-Identifier: Apache-2.0
#include "preload/base/clock.h"

#include <time.h>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

TEST_CASE("ticks go forward at the rate that they claim", "[clock]") {
    start_clock();
    const uint64_t begin_ticks = ticks_now();
    const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
    while (clock_ns(CLOCK_MONOTONIC) - begin_ns < 20'000'000) {
    }
    calibrate_clock();
    const uint64_t passed = ticks_now() - begin_ticks;
    const double seconds = static_cast<double>(clock_ns(CLOCK_MONOTONIC) - begin_ns) * 1e-9;
    const double claimed = static_cast<double>(passed) / static_cast<double>(ticks.per_second);
    CHECK(claimed == Approx(seconds).epsilon(0.2));
}

TEST_CASE("a clock record names one moment on all clocks", "[clock]") {
    start_clock();
    const Clock first = clock_record();
    const Clock second = clock_record();
    CHECK(second.time >= first.time);
    CHECK(second.monotonic_ns >= first.monotonic_ns);
    CHECK(first.realtime_ns > 1'600'000'000'000'000'000u);
}

TEST_CASE("a clock that begins anew counts from there, at the same rate", "[clock]") {
    start_clock();
    const Clock before = clock_record();
    const uint64_t rate = ticks.per_second;
    restart_clock();
    const Clock after = clock_record();
    CHECK(ticks.per_second == rate);
    CHECK(after.monotonic_ns >= before.monotonic_ns);
    CHECK(after.time < rate);  // less than a second
    CHECK(ticks_now() >= after.time);
}
