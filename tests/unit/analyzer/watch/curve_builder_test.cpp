// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/curve_builder.h"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

TickClock nanoseconds() {
    TickClock clock(1'000'000'000);
    clock.settle();
    return clock;
}

}  // namespace

TEST_CASE("curve_builder: a slice has the lowest, the highest and the last value in it") {
    CurveBuilder builder;
    builder.begin(10, 5);
    builder.change(10, 9);
    builder.change(12, 2);
    builder.end(13);
    const HeldCurve curve = builder.finish(nanoseconds());
    REQUIRE(curve.slices.size() == 4);
    CHECK(curve.begin_ns == 10);
    CHECK(curve.first == 5);
    CHECK(curve.peak_bytes == 9);
    CHECK(curve.peak_time_ns == 10);
    CHECK(curve.slices[0].lowest == 5);
    CHECK(curve.slices[0].highest == 9);
    CHECK(curve.slices[1].lowest == 9);
    CHECK(curve.slices[2].lowest == 2);
    CHECK(curve.slices[2].highest == 9);
    CHECK(curve.slices[3].end_ns == 13);
    CHECK(curve.slices[3].last == 2);
}

TEST_CASE("curve_builder: whatever the length, slices are as a second count has them") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 30; ++round) {
        struct Change {
            uint64_t time, bytes;
        };
        std::vector<Change> changes{{random() % 50, random() % 100}};
        CurveBuilder builder;
        builder.begin(changes[0].time, changes[0].bytes);
        const uint64_t step = 1 + (random() >> (random() % 40 + 20));
        for (int i = 0; i < 500; ++i) {
            changes.push_back({changes.back().time + random() % step, random() % 1000});
            builder.change(changes.back().time, changes.back().bytes);
        }
        const uint64_t end = changes.back().time + random() % step;
        builder.end(end);
        const HeldCurve curve = builder.finish(nanoseconds());
        REQUIRE(curve.slices.size() <= CurveBuilder::slices_max);
        const uint64_t begin = changes[0].time;
        uint64_t width = 1;
        while ((end - begin) / width >= CurveBuilder::slices_max) width *= 2;
        REQUIRE(curve.slices.size() == (end - begin) / width + 1);
        size_t at = 0;
        uint64_t now = changes[0].bytes;
        for (size_t i = 0; i < curve.slices.size(); ++i) {
            uint64_t low = now, high = now;
            for (; at < changes.size() && (changes[at].time - begin) / width == i; ++at) {
                now = changes[at].bytes;
                low = std::min(low, now);
                high = std::max(high, now);
            }
            CHECK(curve.slices[i].lowest == low);
            CHECK(curve.slices[i].highest == high);
            CHECK(curve.slices[i].last == now);
        }
    }
}
