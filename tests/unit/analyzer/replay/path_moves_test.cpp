// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_moves.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

// Node 1 calls 2 and 3.
StackNodes two_callees() {
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 1u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = 0x1000 + nodes.size();
        nodes.push_back(node);
    }
    return nodes;
}

}  // namespace

TEST_CASE("turns, entries and ends are counted for all threads") {
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 1u, 3u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = 0x1000;
        nodes.push_back(node);
    }
    PathMoves moves(nodes);
    for (int i = 0; i < 5; ++i) {
        moves.take(0, 2, 100'000 * static_cast<uint64_t>(i));
        moves.take(0, 4, 100'000 * static_cast<uint64_t>(i) + 50'000);
    }
    moves.take(1, 4, 900'000);
    moves.finish();
    const std::vector<PathTurn> turns = moves.turns();
    REQUIRE(turns.size() == 3);  // none to 1, 3 to 2, 2 to 3
    CHECK(turns[0].to == 1);
    CHECK(turns[0].count == 2);
    CHECK(turns[1].from == 3);
    CHECK(turns[1].to == 2);
    CHECK(turns[1].count == 4);
    CHECK(turns[1].thread == 0);
    CHECK(turns[1].first < turns[1].last);
    CHECK(turns[1].threads == nullptr);
    CHECK(turns[2].count == 5);
    CHECK(moves.entered(4) == 6);
    CHECK(moves.left(4) == 6);
    CHECK(moves.entered(99) == 0);
}

TEST_CASE("a frame is regular if it stays for as many stacks each time") {
    const StackNodes nodes = two_callees();
    const auto run = [&](std::initializer_list<int> stays) {
        PathMoves moves(nodes);
        for (const int stay : stays) {
            for (int i = 0; i < stay; ++i) moves.take(0, 2, 1);
            moves.take(0, 3, 1);
        }
        moves.finish();
        return moves;
    };
    CHECK(run({4, 4, 4}).is_regular(2));
    CHECK(run({4, 4, 4}).usual_stay(2) == 4);
    CHECK(run({4, 4, 4}).usual_stay(3) == 1);
    CHECK_FALSE(run({4, 8, 16}).is_regular(2));
    CHECK(run({4, 8, 16}).usual_stay(2) == 16);
    CHECK(run({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 4, 4}).usual_stay(2) == 4);
    CHECK(run({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1}).is_regular(2));
    CHECK_FALSE(run({4, 4, 4, 1}).is_regular(2));
    CHECK_FALSE(run({4}).is_regular(99));
}

TEST_CASE("a turn knows all threads that made it") {
    StackNodes nodes;
    nodes.push_back({});
    StackNode node;
    node.defined = true;
    node.address = 0x1000;
    nodes.push_back(node);
    PathMoves moves(nodes);
    for (const uint32_t thread : {2u, 0u, 2u, 2u, 0u}) moves.take(thread, 1, 1);
    moves.finish();
    for (const PathTurn& turn : moves.turns()) {
        CHECK(turn.thread == 2);
        REQUIRE(turn.threads != nullptr);
        CHECK(*turn.threads == std::vector<uint8_t>{1, 0, 1});
    }
}

TEST_CASE("a frame outlasts all if its last stay is far longer than those before it") {
    const StackNodes nodes = two_callees();
    const auto outlasts = [&](std::initializer_list<int> stays) {
        PathMoves moves(nodes);
        for (const int stay : stays) {
            moves.take(0, 3, 1);
            for (int i = 0; i < stay; ++i) moves.take(0, 2, 1);
        }
        moves.finish();
        return moves.outlasts(2);
    };
    CHECK(outlasts({2, 2, 40}));
    CHECK_FALSE(outlasts({2, 40, 2}));
    CHECK_FALSE(outlasts({20, 2, 40}));
    CHECK_FALSE(outlasts({40}));
    CHECK_FALSE(outlasts({2, 10}));
}

TEST_CASE("what only grows is told from what is taken again, at a frame and around it") {
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 1u, 0u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = 0x1000 + nodes.size();
        nodes.push_back(node);
    }
    PathMoves moves(nodes);
    for (uint64_t i = 0; i < 5; ++i) {
        moves.take(0, 2, 10 * i + 1, 100 << i);
        moves.take(0, 3, 10 * i + 2, 100);
        moves.take(0, 4, 10 * i + 3, 100 + i);  // by less than a 20th
    }
    moves.finish();
    CHECK(moves.only_grows(2));
    CHECK_FALSE(moves.only_grows(3));
    CHECK_FALSE(moves.only_grows(1));
    CHECK_FALSE(moves.only_grows(4));
    CHECK_FALSE(moves.only_grows(99));
    CHECK(moves.last_inside(2) == 41);
    CHECK(moves.last_inside(1) == 42);
    CHECK(moves.last_inside(4) == 43);
    CHECK(moves.last_inside(99) == 0);
}
