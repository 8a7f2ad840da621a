// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/python_source.h"

#include "tests/unit/analyzer/steps/source_trees.h"

using namespace memtrace::analyzer;

TEST_CASE("indentation tells which loop a line of Python is in") {
    const SourceTree tree = python_tree(
        "def main():\n"
        "    for epoch in range(3):\n"
        "        load()\n"
        "        while more():\n"
        "            step()\n"
        "\n"
        "        # a comment\n"
        "        save()\n"
        "    end()\n"
        "other()\n");
    CHECK(loop_line(tree, 2) == 2);
    CHECK(loop_line(tree, 3) == 2);
    CHECK(loop_line(tree, 4) == 4);
    CHECK(loop_line(tree, 5) == 4);
    CHECK(loop_line(tree, 8) == 2);
    CHECK(loop_line(tree, 9) == 0);
    CHECK(loop_line(tree, 10) == 0);
    CHECK(tree[*tree.at(4)].is_header);
    CHECK(!tree[*tree.at(5)].is_header);
}

TEST_CASE("strings, brackets and continued lines hide what looks like code") {
    const SourceTree tree = python_tree(
        "for x in [1,\n"
        "          2]:\n"
        "    text = '''\n"
        "while True:\n"
        "''' + \"for y: #\" + \\\n"
        "        'z'\n"
        "    call(text,\n"
        "  7)\n"
        "done()\n");
    CHECK(loop_line(tree, 2) == 1);
    CHECK(loop_line(tree, 4) == 1);
    CHECK(loop_line(tree, 6) == 1);
    CHECK(loop_line(tree, 8) == 1);
    CHECK(loop_line(tree, 9) == 0);
    CHECK(tree.at(3) == tree.at(6));
}

TEST_CASE("arms of if, else, except and case are told apart") {
    const SourceTree tree = python_tree(
        "for x in data:\n"
        "    if a: one()\n"
        "    elif b:\n"
        "        two()\n"
        "    else:\n"
        "        three()\n"
        "    try:\n"
        "        four()\n"
        "    except Error:\n"
        "        five()\n"
        "    match x:\n"
        "        case 1:\n"
        "            six()\n"
        "        case _:\n"
        "            seven()\n");
    const auto at = [&](uint32_t line) { return *tree.at(line); };
    CHECK(!tree.can_follow(at(2), at(4)));
    CHECK(!tree.can_follow(at(4), at(6)));
    CHECK(tree.can_follow(at(6), at(8)));
    CHECK(tree.can_follow(at(8), at(10)));
    CHECK(!tree.can_follow(at(13), at(15)));
    const BlockId loop = *tree.loop_of(at(8));
    CHECK(tree.is_certain(at(8), loop));
    CHECK(!tree.is_certain(at(10), loop));
    CHECK(!tree.is_certain(at(13), loop));
    CHECK(!tree.is_certain(at(6), loop));
}

TEST_CASE("a comprehension is a statement with a loop in it, and a lambda begins no block") {
    const SourceTree tree = python_tree(
        "x = [f(y) for y in z]\n"
        "g = lambda a: a\n"
        "n: int = 3\n"
        "h = {1: 2}[1:2]\n");
    CHECK(tree[*tree.at(1)].has_loop);
    CHECK(!tree[*tree.at(2)].has_loop);
    CHECK(loop_line(tree, 4) == 0);
}

TEST_CASE("the line of a with runs again when its block is left") {
    const SourceTree tree = python_tree(
        "with a as b:\n"
        "    f()\n"
        "g()\n");
    CHECK(tree.can_follow(*tree.at(1), *tree.at(2)));
    CHECK(tree.can_follow(*tree.at(2), *tree.at(1)));
    CHECK_FALSE(tree.can_follow(*tree.at(3), *tree.at(1)));
}

TEST_CASE("a loop on one line, and functions in loops") {
    const SourceTree tree = python_tree(
        "for i in r: f(i)\n"
        "for i in r:\n"
        "    def inner():\n"
        "        g()\n"
        "    async with a as b:\n"
        "        h()\n"
        "else:\n"
        "    last()\n");
    CHECK(loop_line(tree, 1) == 1);
    CHECK(!tree[*tree.at(1)].is_header);
    CHECK(loop_line(tree, 4) == 0);  // A loop does not go on in the functions that it defines.
    CHECK(loop_line(tree, 6) == 2);
    CHECK(loop_line(tree, 8) == 0);
}

TEST_CASE("a line that may skip what follows is found, also behind its condition") {
    const SourceTree tree = python_tree(
        "def f():\n"
        "    for x in y:\n"
        "        if x: continue\n"
        "        one()\n"
        "    if y:\n"
        "        return 1\n"
        "    two()\n");
    CHECK_FALSE(tree.is_reached(*tree.at(4), *tree.loop_of(*tree.at(4))));
    CHECK(tree.is_reached(*tree.at(2), *tree.loop_of(*tree.at(4))));
    CHECK_FALSE(tree.is_reached(*tree.at(7), tree.level_of(*tree.at(7))));
}

TEST_CASE("text that is not Python is read to its end") {
    for (const char* text :
         {"", "(((", "'''", "\"", "\\", "  \n\t}{", "for", "else:\n  x", "if x:"}) {
        CHECK(python_tree(text).size() >= 1);
    }
}

TEST_CASE("the line of a loop over elements is three statements") {
    const SourceTree tree = python_tree(
        "one()\n"
        "for x in data():\n"
        "    two()\n"
        "three()\n"
        "while four(): five()\n");
    const SourceBlock& header = tree[*tree.at(2)];
    REQUIRE(header.is_header);
    CHECK(tree.loop_of(*tree.at(2)));
    CHECK_FALSE(tree.loop_of(header.setup));
    CHECK_FALSE(tree.loop_of(header.cleanup));
    CHECK(tree.can_follow(*tree.at(1), header.setup));
    CHECK(tree.can_follow(header.setup, *tree.at(3)));
    CHECK(tree.can_follow(*tree.at(3), header.cleanup));
    CHECK(tree.can_follow(header.cleanup, *tree.at(4)));
    CHECK(tree[*tree.at(5)].setup == 0);
}

TEST_CASE("a def on one line has a statement of its function beside its own") {
    const SourceTree tree = python_tree(
        "for k in data:\n"
        "    def one(n): return bytes(n)\n"
        "    async def two(n): return [bytes(i) for i in n]\n"
        "    def three(n):\n"
        "        return bytes(n)\n");
    for (const uint32_t line : {2u, 3u}) {
        const BlockId at = *tree.at(line);
        REQUIRE(tree[at].body != 0);
        CHECK(tree.loop_of(at));
        CHECK_FALSE(tree.loop_of(tree[at].body));
        CHECK(tree.has_word(at, line == 2 ? "one" : "two"));
        CHECK(tree[tree[at].body].has_loop == (line == 3));
    }
    CHECK(tree[*tree.at(4)].body == 0);
}

TEST_CASE("what may be left and gone on with later is known") {
    const SourceTree tree = python_tree(
        "async def main():\n"
        "    for i in range(3):\n"
        "        a = await get(i)\n"
        "        use(a)\n"
        "    async for x in y:\n"
        "        async with z:\n"
        "            use(x)\n"
        "    b = [q async for q in y]\n"
        "    while more():\n"
        "        def inner():\n"
        "            yield 1\n"
        "        inner()\n");
    const auto waits = [&](uint32_t line) { return tree[*tree.at(line)].waits; };
    CHECK(!waits(1));
    CHECK(waits(3));
    CHECK(!waits(4));
    CHECK(waits(5));
    CHECK(waits(6));
    CHECK(!waits(7));
    CHECK(waits(8));
    CHECK(tree.waits_within(*tree.loop_of(*tree.at(4))));
    CHECK(!tree.waits_within(*tree.loop_of(*tree.at(12))));
}
