// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/host_moments.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

void look(HostMoments& moments, uint64_t time, uint64_t pages, HostOccasion occasion,
          uint32_t stack = 1) {
    HostMoment moment;
    moment.time = time;
    moment.occasion = occasion;
    moment.highest = pages * 0x1000 + 1;
    moments.on(moment, 0);
    HostRegion region;
    region.begin = 0x10000;
    region.end = 0x10000 + pages * 0x1000;
    region.rss = region.end - region.begin;
    region.path = "[heap]";
    moments.on(region, 0);
    HostMomentEnd end;
    end.duration = 10;
    end.regions = 1;
    moments.on(end, 0, [&] {
        HeldMemory held;
        held.heap = {{region.end - 0x100, 16, stack}};
        return held;
    });
}

HostInfo finish(HostMoments& moments, uint64_t stacks = 100) {
    TickClock clock(1'000'000'000);
    clock.settle();
    return moments.finish(clock, stacks);
}

}  // namespace

TEST_CASE("the peak is the look that saw most, and the end is the look when the work ended") {
    HostMoments moments;
    look(moments, 100, 4, HostOccasion::growth);
    look(moments, 200, 9, HostOccasion::growth);
    look(moments, 300, 5, HostOccasion::work_end);
    look(moments, 400, 2, HostOccasion::time);
    const HostInfo info = finish(moments);
    CHECK(info.moments == 4);
    CHECK(info.duration_ns == 40);
    CHECK(info.highest == 9 * 0x1000 + 1);
    REQUIRE(info.at_peak);
    CHECK(info.at_peak->time_ns == 200);
    CHECK(info.at_peak->resident == 9 * 0x1000);
    REQUIRE(info.at_end);
    CHECK(info.at_end->time_ns == 300);
}

TEST_CASE("without an end of the work, the last look is the end") {
    HostMoments moments;
    look(moments, 100, 4, HostOccasion::growth);
    look(moments, 200, 2, HostOccasion::time);
    CHECK(finish(moments).at_end->time_ns == 200);
}

TEST_CASE("without a look there is no ledger") {
    HostMoments moments;
    const HostInfo info = finish(moments);
    CHECK_FALSE(info.at_peak);
    CHECK_FALSE(info.at_end);
}

TEST_CASE("an impossible stack of a pin becomes none") {
    HostMoments moments;
    look(moments, 100, 4, HostOccasion::growth, 77);
    CHECK(finish(moments, 50).at_peak->pins[0].stack == no_stack);
}
