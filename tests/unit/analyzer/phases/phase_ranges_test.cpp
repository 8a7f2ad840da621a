// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_ranges.h"

#include <map>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

Mark begin_of(Text text, MarkScope scope, uint64_t range = 0) {
    Mark mark;
    mark.kind = MarkKind::begin;
    mark.text = text;
    mark.scope = scope;
    mark.range = range;
    return mark;
}

Mark end_of(Text text, MarkScope scope, uint64_t range = 0) {
    Mark mark = begin_of(text, scope, range);
    mark.kind = MarkKind::end;
    return mark;
}

}  // namespace

TEST_CASE("a thread ends its own innermost range, whatever the others do") {
    PhaseRanges ranges;
    CHECK(ranges.begin(begin_of("a", MarkScope::thread), "a", 1, 10) == 0);
    CHECK(ranges.begin(begin_of("b", MarkScope::thread), "b", 1, 20) == 1);
    CHECK(ranges.begin(begin_of("a", MarkScope::thread), "a", 2, 30) == 0);
    CHECK(ranges.end(end_of("", MarkScope::thread), "", 1) == 20u);
    CHECK(ranges.end(end_of("", MarkScope::thread), "", 2) == 30u);
    CHECK(ranges.end(end_of("", MarkScope::thread), "", 1) == 10u);
    CHECK(ranges.open_of(1) == 0);
    CHECK(ranges.unpaired_ends() == 0);
}

TEST_CASE("the domains of a thread do not get into each other's way") {
    PhaseRanges ranges;
    Mark other = begin_of("x", MarkScope::thread);
    other.domain = "other";
    ranges.begin(begin_of("a", MarkScope::thread), "a", 1, 10);
    CHECK(ranges.begin(other, "other: x", 1, 20) == 1);
    CHECK(ranges.end(end_of("", MarkScope::thread), "", 1) == 10u);
    CHECK(ranges.end(other, "other: x", 1) == 20u);
    CHECK_FALSE(ranges.end(other, "other: x", 1));
}

TEST_CASE("a range of the process is ended by its name, the last one first, from any thread") {
    PhaseRanges ranges;
    ranges.begin(begin_of("a", MarkScope::process), "a", 1, 10);
    ranges.begin(begin_of("a", MarkScope::process), "a", 2, 20);
    ranges.begin(begin_of("b", MarkScope::process), "b", 1, 30);
    CHECK(ranges.open_of(1) == 2);
    CHECK(ranges.end(end_of("a", MarkScope::process), "a", 3) == 20u);
    CHECK(ranges.open_of(2) == 0);
    CHECK(ranges.end(end_of("a", MarkScope::process), "a", 3) == 10u);
    CHECK(ranges.end(end_of("b", MarkScope::process), "b", 3) == 30u);
}

TEST_CASE("a range with a number is ended by it, and the end need not say the name") {
    PhaseRanges ranges;
    ranges.begin(begin_of("a", MarkScope::process, 5), "a", 1, 10);
    ranges.begin(begin_of("a", MarkScope::process, 6), "a", 1, 20);
    CHECK(ranges.end(end_of("", MarkScope::process, 5), "(no name)", 2) == 10u);
    CHECK(ranges.end(end_of("", MarkScope::process, 6), "(no name)", 2) == 20u);
}

TEST_CASE("an end without a begin is counted, and ends nothing") {
    PhaseRanges ranges;
    ranges.begin(begin_of("a", MarkScope::process), "a", 1, 10);
    CHECK_FALSE(ranges.end(end_of("b", MarkScope::process), "b", 1));
    CHECK_FALSE(ranges.end(end_of("a", MarkScope::thread), "a", 1));
    CHECK_FALSE(ranges.end(end_of("a", MarkScope::process, 9), "a", 1));
    CHECK(ranges.unpaired_ends() == 3);
    CHECK(ranges.open_of(1) == 1);
}

TEST_CASE("a number that another thread gets has no open ranges, and those are open for ever") {
    PhaseRanges ranges;
    ranges.begin(begin_of("a", MarkScope::thread), "a", 1, 10);
    ranges.begin(begin_of("b", MarkScope::thread), "b", 1, 20);
    ranges.begin(begin_of("p", MarkScope::process), "p", 1, 30);
    ranges.begin(begin_of("a", MarkScope::thread), "a", 2, 10);
    ranges.forget_thread(1);
    ranges.forget_thread(5);
    CHECK(ranges.open_of(1) == 0);
    CHECK_FALSE(ranges.end(end_of("", MarkScope::thread), "", 1));
    CHECK(ranges.begin(begin_of("c", MarkScope::thread), "c", 1, 40) == 0);
    // Any thread may end what is of the process.
    CHECK(ranges.end(end_of("p", MarkScope::process), "p", 1) == 30u);
    CHECK(ranges.open_of(1) == 1);
    std::map<uint32_t, uint64_t> open;
    ranges.for_each_open([&](uint32_t phase, uint64_t count) { open[phase] += count; });
    CHECK(open == std::map<uint32_t, uint64_t>{{10, 2}, {20, 1}, {40, 1}});
}
