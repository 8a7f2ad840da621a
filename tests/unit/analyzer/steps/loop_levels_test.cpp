// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/loop_levels.h"

#include "analyzer/steps/python_source.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

struct Example {
    ParsedSource file;
    Level level;
    Spot header, a, b;

    Example() {
        file.tree = python_tree(
            "for x in y:\n"
            "    a(x)\n"
            "    if x:\n"
            "        b(x)\n");
        level.source = &file;
        level.block = *file.tree.loop_of(*file.tree.at(2));
        header = {*file.tree.at(1)};
        a = {*file.tree.at(2)};
        b = {*file.tree.at(4)};
    }

    static PathTurn turn(uint64_t count) {
        PathTurn turn;
        turn.from = 3;
        turn.to = 4;
        turn.count = count;
        return turn;
    }
};

}  // namespace

TEST_CASE("rounds and entries are the steps of a loop") {
    Example e;
    CHECK_FALSE(e.level.problem().empty());
    e.level.add_entry(e.a.block, 1, nullptr, 5);
    e.level.add_round(e.a, e.a, Example::turn(9));
    CHECK(e.level.problem().empty());
    CHECK(e.level.count() == 10);
    CHECK(e.level.turns.entries == std::vector<uint32_t>{5});
    CHECK(e.level.turns.begins.size() == 1);
}

TEST_CASE("the header runs once more than the body") {
    Example e;
    e.level.add_entry(e.header.block, 1, nullptr, 5);
    e.level.add_round(e.a, e.header, Example::turn(10));
    e.level.goes_on_from_header = true;
    e.level.ended_at_header = 1;
    CHECK(e.level.count() == 10);
}

TEST_CASE("a turn that may be a round and does not count makes a loop uncountable") {
    Example e;
    e.level.add_round(e.b, e.a, Example::turn(9));
    CHECK(e.level.problem().empty());
    e.level.others.insert({e.a, e.b});
    CHECK(e.level.problem().empty());  // No round begins at b.
    e.level.others.insert({e.b, e.a});
    CHECK_FALSE(e.level.problem().empty());
}

TEST_CASE("lines in the arms of one branch tell iterations apart") {
    Example e;
    e.level.add_round(e.b, e.b, Example::turn(9));
    CHECK(e.level.problem().empty());
    CHECK(e.level.is_told_by_arms());
    e.level.visits[e.a.block] = 9;  // It is in no arm.
    CHECK_FALSE(e.level.is_told_by_arms());
}

TEST_CASE("what takes memory under conditions of the functions that it calls shows no rounds") {
    Example e;
    CHECK(e.level.takes_whenever_run(e.a.block));
    e.level.visits[e.a.block] = 100;
    e.level.note_taken(e.a.block, 1);
    CHECK_FALSE(e.level.takes_whenever_run(e.a.block));
    e.level.note_taken(e.a.block, 99);
    CHECK(e.level.takes_whenever_run(e.a.block));
}

TEST_CASE("a line stays inside of the rounds if others show each of them") {
    Example e;
    e.level.add_round(e.b, e.a, Example::turn(9));
    // Only a line under a condition shows the rounds, and it need not be reached.
    e.level.visits[e.b.block] = 10;
    CHECK(e.level.is_under_conditions_beside(e.a.block));
    CHECK_FALSE(e.level.stays_inside(e.a, Stays::steady));
    // The line of the loop does.
    e.level.visits[e.header.block] = 10;
    CHECK(e.level.has_middle_beside(e.a.block));
    CHECK(e.level.stays_inside(e.a, Stays::varying));
}

TEST_CASE("a line that takes memory once each time may be a list that grows") {
    Example e;
    e.level.add_round(e.header, e.a, Example::turn(9));
    e.level.visits[e.header.block] = 10;
    e.level.usual_stays = {{e.a, 40}, {e.header, 1}};
    CHECK(e.level.is_single_beside(e.a));
    CHECK_FALSE(e.level.stays_inside(e.a, Stays::varying));
    CHECK(e.level.stays_inside(e.a, Stays::steady));
    e.level.usual_stays[e.header] = 2;
    CHECK(e.level.stays_inside(e.a, Stays::varying));
}
