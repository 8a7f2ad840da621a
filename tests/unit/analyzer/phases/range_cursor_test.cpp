// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/range_cursor.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

// Records when the range begins and ends.
class Witness final : public PhaseObserver {
public:
    SpaceObserver* observe(const std::string&) override { return nullptr; }
    void on(const Mark&, uint32_t) override {}
    void begin_range(uint64_t time) override { seen += "begin " + std::to_string(time) + "; "; }
    void end_range(uint64_t time) override { seen += "end " + std::to_string(time) + "; "; }
    void end(uint64_t) override {}
    void finish(Model&, const TickClock&, Problems&) override {}

    std::string seen;
};

}  // namespace

TEST_CASE("times begin and end a range before the events at them") {
    Witness witness;
    RangeCursor range({RangeMoment{10, {}}, RangeMoment{20, {}}}, witness);
    CHECK(range.next_time() == 10);
    range.come_to(12);
    CHECK(range.next_time() == 20);
    CHECK(witness.seen == "begin 10; ");
    range.come_to(20);
    CHECK(witness.seen == "begin 10; end 20; ");
    CHECK(range.next_time() == RangeCursor::never);
}

TEST_CASE("a range without a begin begins at once; one between two events is there, too") {
    Witness witness;
    RangeCursor open({{}, {}}, witness);
    CHECK(witness.seen == "begin 0; ");
    CHECK(open.next_time() == RangeCursor::never);
    witness.seen.clear();
    RangeCursor between({RangeMoment{10, {}}, RangeMoment{11, {}}}, witness);
    between.come_to(100);
    CHECK(witness.seen == "begin 10; end 11; ");
}

TEST_CASE("marks begin a range before they are handled, and end it afterwards") {
    Witness witness;
    RangeCursor range({RangeMoment{5, 1}, RangeMoment{9, 2}}, witness);
    range.before_mark(0, 5);
    range.after_mark(0, 5);
    CHECK(witness.seen.empty());
    range.before_mark(1, 5);
    CHECK(witness.seen == "begin 5; ");
    range.after_mark(1, 5);
    range.before_mark(2, 9);
    CHECK(witness.seen == "begin 5; ");
    range.after_mark(2, 9);
    CHECK(witness.seen == "begin 5; end 9; ");
}

TEST_CASE("a time at the tick of the mark that begins the range ends it at once") {
    Witness witness;
    RangeCursor range({RangeMoment{5, 0}, RangeMoment{5, {}}}, witness);
    range.come_to(5);
    range.before_mark(0, 5);
    CHECK(witness.seen == "begin 5; end 5; ");
}

TEST_CASE("a step begins before one of several events at the same time") {
    Witness witness;
    RangeCursor range({RangeMoment{5, {}, 2}, RangeMoment{5, {}, 3}}, witness);
    range.come_to(5);
    range.come_to(5);
    CHECK(witness.seen.empty());
    CHECK(range.next_time() == 5);
    range.come_to(5);
    CHECK(witness.seen == "begin 5; ");
    range.come_to(5);
    CHECK(witness.seen == "begin 5; end 5; ");
}

TEST_CASE("a later event is behind all events of a time") {
    Witness witness;
    RangeCursor range({RangeMoment{5, {}, 1}, RangeMoment{7, {}, 9}}, witness);
    range.come_to(6);
    CHECK(witness.seen == "begin 5; ");
    range.come_to(8);
    CHECK(witness.seen == "begin 5; end 7; ");
}

TEST_CASE("events are counted for the end of a range that a mark at the same time begins") {
    Witness witness;
    RangeCursor range({RangeMoment{5, 0}, RangeMoment{5, {}, 2}}, witness);
    CHECK(range.next_time() == 5);
    range.come_to(5);
    range.come_to(5);
    range.before_mark(0, 5);
    CHECK(witness.seen == "begin 5; ");
    range.come_to(5);
    CHECK(witness.seen == "begin 5; end 5; ");
}
