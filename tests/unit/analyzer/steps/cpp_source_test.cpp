// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/cpp_source.h"

#include "tests/unit/analyzer/steps/source_trees.h"

using namespace memtrace::analyzer;

TEST_CASE("braces tell which loop a line of C++ is in") {
    const SourceTree tree = cpp_tree(
        "namespace a {\n"
        "int main() {\n"
        "    for (int i = 0; i < 3; ++i) {\n"
        "        load();\n"
        "        while (more())\n"
        "            step(i,\n"
        "                 2);\n"
        "        do {\n"
        "            again();\n"
        "        } while (last());\n"
        "        save();\n"
        "    }\n"
        "    end();\n"
        "}\n"
        "}\n");
    CHECK(loop_line(tree, 3) == 3);
    CHECK(loop_line(tree, 4) == 3);
    CHECK(loop_line(tree, 5) == 5);
    CHECK(loop_line(tree, 7) == 5);
    CHECK(loop_line(tree, 9) == 8);
    CHECK(loop_line(tree, 10) == 8);
    CHECK(loop_line(tree, 11) == 3);
    CHECK(loop_line(tree, 13) == 0);
    CHECK(tree[*tree.at(5)].is_header);
    CHECK(tree[*tree.at(10)].is_header);
}

TEST_CASE("comments, strings and directives are no code") {
    const SourceTree tree = cpp_tree(
        "#define LOOP for (;;) \\\n"
        "    {\n"
        "void f() {\n"
        "    const char* a = \"while (1) {\";  // for (;;) {\n"
        "    char b = '{'; /* while\n"
        "    { */ int c = 1'000;\n"
        "    auto d = R\"x(\n"
        "for (;;) { )\" )x\";\n"
        "    for (;;) g();\n"
        "    h();\n"
        "}\n");
    CHECK(loop_line(tree, 4) == 0);
    CHECK(loop_line(tree, 6) == 0);
    CHECK(loop_line(tree, 9) == 9);
    CHECK(loop_line(tree, 10) == 0);
}

TEST_CASE("arms of an if are told apart, and a lambda is a function of its own") {
    const SourceTree tree = cpp_tree(
        "void f() {\n"
        "    for (auto& x : list) {\n"
        "        if (a)\n"
        "            one();\n"
        "        else if (b) {\n"
        "            two();\n"
        "        } else\n"
        "            three();\n"
        "        run([&] {\n"
        "            four();\n"
        "        });\n"
        "        std::vector<int> v{1, 2};\n"
        "        switch (x) {\n"
        "            case 1:\n"
        "                five();\n"
        "        }\n"
        "    }\n"
        "}\n");
    const auto at = [&](uint32_t line) { return *tree.at(line); };
    CHECK(!tree.can_follow(at(4), at(6)));
    CHECK(!tree.can_follow(at(6), at(8)));
    CHECK(tree.can_follow(at(8), at(12)));
    CHECK(loop_line(tree, 9) == 2);
    CHECK(loop_line(tree, 10) == 0);
    CHECK(loop_line(tree, 12) == 2);
    const BlockId loop = *tree.loop_of(at(12));
    CHECK(tree.is_certain(at(12), loop));
    CHECK(!tree.is_certain(at(15), loop));
}

TEST_CASE("a continue or a return in the middle may skip what follows") {
    const SourceTree tree = cpp_tree(
        "void f() {\n"
        "    for (auto& x : list) {\n"
        "        if (x) continue;\n"
        "        one();\n"
        "    }\n"
        "    run([&] { return 2; });\n"
        "    two();\n"
        "    if (y) return;\n"
        "    three();\n"
        "}\n");
    CHECK_FALSE(tree.is_reached(*tree.at(4), *tree.loop_of(*tree.at(4))));
    const BlockId function = tree.level_of(*tree.at(7));
    CHECK(tree.is_reached(*tree.at(7), function));
    CHECK_FALSE(tree.is_reached(*tree.at(9), function));
}

TEST_CASE("text that is not C++ is read to its end") {
    for (const char* text : {"", "{{{", "}}}", "for", "for (", "if (x) else", "\"", "R\"", "do",
                             "try", "case", "switch (", "/*", "#"}) {
        CHECK(cpp_tree(text).size() >= 1);
    }
    CHECK(cpp_tree(std::string(100'000, '{')).size() >= 1);
    CHECK(cpp_tree(std::string(100'000, '(')).size() >= 1);
}

TEST_CASE("a loop that shares its line with code outside of it is noted there") {
    const SourceTree tree = cpp_tree(
        "static void fill(int n) { for (int i = 0; i < n; ++i) make(i); }\n"
        "void f() {\n"
        "    for (auto& x : list) use(x);\n"
        "    for (auto& x : list) for (auto& y : x) use(y);\n"
        "    int i = 0; while (i < 3) use(i++);\n"
        "    if (a) do use(1); while (more());\n"
        "    for (int k = 0; k < 3; ++k) { use(k); use(k); }\n"
        "    while (more()) {\n"
        "        use(2);\n"
        "    }\n"
        "    switch (a) {\n"
        "        case 1: for (auto& x : list) use(x); break;\n"
        "    }\n"
        "    auto g = [](int n) { while (n--) use(n); };\n"
        "}\n"
        "struct Table { void add(int n) { do { use(n); } while (--n); } };\n");
    for (const uint32_t line : {1u, 4u, 5u, 6u, 14u, 16u}) CHECK(tree[*tree.at(line)].has_loop);
    for (const uint32_t line : {3u, 7u, 8u, 9u, 12u}) CHECK_FALSE(tree[*tree.at(line)].has_loop);
    CHECK(tree[*tree.at(14)].has_function);
}

TEST_CASE("a macro may have a loop, or be one around what follows it") {
    const auto read = [](std::string_view name) {
        return std::string(name == "each.h" ? "#define MANY(n) for (int i = 0; \\\n"
                                              "    i < n; ++i) use(i)\n"
                                            : "");
    };
    const SourceTree tree = cpp_tree(
        "#include \"each.h\"\n"
        "#define EACH(n) for (int i = 0; i < n; ++i)\n"
        "#define FILL(n) EACH(n) use(n)\n"
        "#define ONCE(n) do { use(n); } while (0)\n"
        "void f() {\n"
        "    FILL(3);\n"
        "    MANY(3);\n"
        "    ONCE(3);\n"
        "    EACH(3) {\n"
        "        use(1);\n"
        "    }\n"
        "    every (x, list)\n"
        "        use(x);\n"
        "    NOBODY_KNOWS(3);\n"
        "    CHECK(use(3));\n"
        "    new (place) Row(3);\n"
        "}\n",
        read);
    for (const uint32_t line : {6u, 7u, 14u}) CHECK(tree[*tree.at(line)].has_loop);
    for (const uint32_t line : {8u, 15u, 16u}) {
        CHECK_FALSE(tree[*tree.at(line)].has_loop);
        CHECK(loop_line(tree, line) == 0);
    }
    for (const uint32_t line : {10u, 13u}) {
        REQUIRE(tree.loop_of(*tree.at(line)));
        CHECK(tree[*tree.loop_of(*tree.at(line))].may_be_loop);
        CHECK(loop_line(tree, line) == line - 1);
    }
}

TEST_CASE("what a goto goes back to may be a loop, and what it leaves is none") {
    const SourceTree tree = cpp_tree(
        "void f() {\n"
        "    if (bad) goto out;\n"
        "again:\n"
        "    use(1);\n"
        "    if (more()) goto again;\n"
        "    use(2);\n"
        "out:\n"
        "    use(3);\n"
        "}\n"
        "void g() {\n"
        "    goto out;\n"
        "out:\n"
        "    use(4);\n"
        "}\n");
    CHECK(loop_line(tree, 4) == 3);
    CHECK(tree[*tree.loop_of(*tree.at(4))].may_be_loop);
    for (const uint32_t line : {6u, 8u, 13u}) CHECK(loop_line(tree, line) == 0);
}

TEST_CASE("a lambda in the header of a loop leaves the header to the loop") {
    const SourceTree tree = cpp_tree(
        "void f() {\n"
        "    while (call([&] { return more(); })) {\n"
        "        use(1);\n"
        "    }\n"
        "    auto g = [&](int n) {\n"
        "        while (more())\n"
        "            use(2);\n"
        "    };\n"
        "}\n");
    CHECK(tree[*tree.at(2)].is_header);
    CHECK(tree[*tree.at(2)].has_function);
    CHECK(loop_line(tree, 3) == 2);
    CHECK(tree[*tree.at(6)].is_header);
    CHECK_FALSE(tree[*tree.at(6)].has_function);
}

TEST_CASE("a coroutine may be left at co_await and co_yield, and ends at co_return") {
    const SourceTree tree = cpp_tree(
        "Task f() {\n"
        "    for (;;) {\n"
        "        auto a = co_await get();\n"
        "        use(a);\n"
        "        if (a) co_return;\n"
        "        co_yield a;\n"
        "    }\n"
        "}\n");
    const auto waits = [&](uint32_t line) { return tree[*tree.at(line)].waits; };
    CHECK(waits(3));
    CHECK(!waits(4));
    CHECK(!waits(5));
    CHECK(waits(6));
    CHECK(tree.waits_within(*tree.loop_of(*tree.at(4))));
}
