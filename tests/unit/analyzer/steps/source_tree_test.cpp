// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/source_tree.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// for …:        1
//     if …:     2
//         a     3
//     else:
//         b     5
//     c         6
struct Example {
    SourceTree tree;
    BlockId loop, header, a, b, c;

    Example() {
        const BlockId function = tree.begin(BlockKind::function, 0, 1);
        loop = tree.begin(BlockKind::loop, function, 1);
        header = tree.add_statement(loop, 1, 1, true);
        const BlockId branch = tree.begin(BlockKind::branch, loop, 2);
        a = tree.add_statement(tree.begin(BlockKind::arm, branch, 3), 3, 3);
        b = tree.add_statement(tree.begin(BlockKind::arm, branch, 5), 5, 5);
        c = tree.add_statement(loop, 6, 6);
    }
};

}  // namespace

TEST_CASE("statements of two arms cannot follow each other, others can in the order of lines") {
    const Example e;
    CHECK(!e.tree.can_follow(e.a, e.b));
    CHECK(!e.tree.can_follow(e.b, e.a));
    CHECK(e.tree.can_follow(e.a, e.c));
    CHECK(e.tree.can_follow(e.header, e.b));
    CHECK(!e.tree.can_follow(e.c, e.header));
    CHECK(!e.tree.can_follow(e.c, e.c));
}

TEST_CASE("a statement under a condition is not certain to run in each iteration") {
    const Example e;
    CHECK(e.tree.is_certain(e.c, e.loop));
    CHECK(e.tree.is_certain(e.header, e.loop));
    CHECK(!e.tree.is_certain(e.a, e.loop));
}

TEST_CASE("what a continue or a return before it may skip is not reached each time") {
    const Example without;
    CHECK(without.tree.is_reached(without.c, without.loop));
    Example e;
    e.tree.add_continue(e.a);
    CHECK_FALSE(e.tree.is_reached(e.c, e.loop));
    CHECK(e.tree.is_reached(e.header, e.loop));
    Example other;
    other.tree.add_return(other.a);
    CHECK(other.tree.is_reached(other.c, other.loop));  // The loop ends with the call.
    CHECK_FALSE(other.tree.is_reached(other.c, other.tree[other.loop].parent));
}

TEST_CASE("the innermost loop or function of a statement is its level") {
    Example e;
    CHECK(e.tree.level_of(e.b) == e.loop);
    CHECK(e.tree.loop_of(e.b) == e.loop);
    CHECK(e.tree[e.tree.level_of(e.tree[e.loop].parent)].kind == BlockKind::function);
    CHECK(!e.tree.loop_of(e.tree[e.loop].parent));
    CHECK(e.tree.is_in(e.b, e.loop));
    CHECK(!e.tree.is_in(e.loop, e.b));
}

TEST_CASE("lines find their statements; a loop on one line is all body") {
    Example e;
    CHECK(e.tree.at(5) == e.b);
    CHECK(!e.tree.at(4));
    CHECK(!e.tree.at(7));
    const BlockId body = e.tree.add_statement(e.loop, 1, 1);
    CHECK(e.tree.at(1) == body);
}
