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
