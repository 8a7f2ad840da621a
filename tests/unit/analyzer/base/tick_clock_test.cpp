// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/tick_clock.h"

#include <algorithm>

#include "tests/unit/test.h"

using memtrace::Clock;
using memtrace::analyzer::TickClock;

TEST_CASE("without anchors the header's estimate holds") {
    TickClock clock(2'000'000'000);
    clock.settle();
    CHECK(clock.ns(0) == 0);
    CHECK(clock.ns(2'000'000'000) == 1'000'000'000);
    CHECK(clock.start_realtime_ns() == 0);
}

TEST_CASE("one anchor says when it was, the estimate how fast ticks go") {
    TickClock clock(2'000'000'000);
    clock.add_anchor({2000, 500'000, 1'700'000'000'000'001'000});
    clock.settle();
    CHECK(clock.ns(2000) == 1000);
    CHECK(clock.ns(4000) == 2000);
    CHECK(clock.start_realtime_ns() == 1'700'000'000'000'000'000);
}

TEST_CASE("between anchors time is a straight line, and goes on after the last") {
    TickClock clock(1);
    clock.add_anchor({30'000'000, 105'000'000, 0});
    clock.add_anchor({0, 100'000'000, 0});
    clock.add_anchor({10'000'000, 101'000'000, 0});
    clock.settle();
    CHECK(clock.ns(0) == 0);
    CHECK(clock.ns(5'000'000) == 500'000);
    CHECK(clock.ns(20'000'000) == 3'000'000);
    CHECK(clock.ns(30'000'000) == 5'000'000);
    CHECK(clock.ns(60'000'000) == 10'000'000);
}

TEST_CASE("anchors that contradict each other and a header without estimate do no harm") {
    TickClock clock(0);
    clock.settle();
    CHECK(clock.ns(17) == 17);
    TickClock backwards(0);
    backwards.add_anchor({1000, 5000, 0});
    backwards.add_anchor({1000, 6000, 0});
    backwards.add_anchor({2000, 4000, 0});
    backwards.settle();
    CHECK(backwards.ns(2000) >= backwards.ns(1000));
    CHECK(backwards.ns(~uint64_t{0}) > 0);
}

TEST_CASE("the first tick at a time is the first whose time is not before it") {
    TickClock clock(3'000'000'000);  // Three ticks are a nanosecond.
    clock.settle();
    CHECK(clock.first_tick_at(0) == 0);
    for (const uint64_t time : {uint64_t{1}, uint64_t{2}, uint64_t{1000}, uint64_t{1} << 50}) {
        const uint64_t tick = clock.first_tick_at(time);
        CHECK(clock.ns(tick) >= time);
        CHECK(clock.ns(tick - 1) < time);
    }
    TickClock slow(1'000'000);
    slow.add_anchor({0, 5, 0});
    slow.add_anchor({1000, 2'000'005, 0});  // A tick is two microseconds there.
    slow.settle();
    CHECK(slow.first_tick_at(2000) == 1);
    CHECK(slow.first_tick_at(2001) == 2);
    CHECK(slow.first_tick_at(4'000'000) == 2000);
}

TEST_CASE("of the anchors of weeks some go, and times stay what they were") {
    constexpr uint64_t count = 200'000, step = 30'000'000;
    TickClock clock(3'000'000'000);
    // The tick is not quite even: it drifts by a millionth to and fro.
    const auto ns_at = [](uint64_t i) {
        return i * 10'000'000 + (i / 1000 % 2 == 0 ? i % 1000 : 1000 - i % 1000) * 10;
    };
    for (uint64_t i = 0; i < count; ++i) clock.add_anchor({i * step, ns_at(i), 1 + ns_at(i)});
    CHECK(clock.anchors().size() <= TickClock::anchors_max);
    CHECK(clock.anchors().front().time == 0);
    CHECK(clock.anchors().back().time == (count - 1) * step);
    clock.settle();
    uint64_t off = 0;
    for (uint64_t i = 0; i < count; i += 77) {
        const uint64_t found = clock.ns(i * step), wanted = ns_at(i);
        off = std::max(off, std::max(found, wanted) - std::min(found, wanted));
    }
    CHECK(off < 20'000);  // 20 us
}
