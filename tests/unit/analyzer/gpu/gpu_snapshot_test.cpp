// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_snapshot.h"

#include <map>
#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what sites held at the last moment that was marked, against a copy of all") {
    std::mt19937 random(7);
    GpuSnapshot baseline;
    CHECK_FALSE(baseline.time().has_value());
    std::map<uint32_t, uint64_t> held, copy;  // by site
    for (uint64_t time = 1; time < 5000; ++time) {
        if (random() % 100 == 0) {
            baseline.begin(time);
            copy = held;
            CHECK(baseline.time() == time);
        }
        const uint32_t site = random() % 50;
        baseline.before_change(site, held[site]);
        held[site] = random() % 1000;
        for (uint32_t each = 0; each < 50; ++each) {
            REQUIRE(baseline.held(each, held[each]) == copy[each]);
        }
    }
}

TEST_CASE("before the first moment, everything held nothing") {
    GpuSnapshot baseline;
    baseline.before_change(3, 0);
    CHECK(baseline.held(3, 100) == 0);
    CHECK(baseline.held(9, 100) == 100);  // It never reported a change.
}

TEST_CASE("half the time: never nearer than a half, never further than three quarters") {
    HalfSnapshot half;
    half.come_to(1000);
    CHECK_FALSE(half.older().time().has_value());
    for (uint64_t elapsed = 2; elapsed < 3000; ++elapsed) {
        half.come_to(1000 + elapsed);
        const auto time = half.older().time();
        REQUIRE(time.has_value());
        REQUIRE(*time - 1000 <= (elapsed + 1) / 2);
        REQUIRE(*time - 1000 >= elapsed / 4);
    }
}
