// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/conditional_calls.h"

#include "analyzer/steps/cpp_source.h"
#include "analyzer/steps/python_source.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a condition within a statement of Python may leave all of its calls out") {
    const auto may_skip = [](const char* line) {
        const SourceTree tree = python_tree(line);
        return tree[*tree.at(1)].has_condition;
    };
    CHECK(may_skip("ready and f(x)\n"));
    CHECK(may_skip("x = x or f()\n"));
    CHECK(may_skip("f(x) if ready else None\n"));
    CHECK(may_skip("x = None if ready else f(x)\n"));
    CHECK_FALSE(may_skip("f(x) and g(x)\n"));
    CHECK_FALSE(may_skip("f(a and b)\n"));
    CHECK_FALSE(may_skip("x = f(x) if ready else g(x)\n"));
    CHECK_FALSE(may_skip("x = a if f(x) else b\n"));
    CHECK_FALSE(may_skip("x = [f(i) for i in r if i or j]\n"));
    CHECK_FALSE(may_skip("x = 1 if ready else 2\n"));
}

TEST_CASE("a condition within a statement of C++ may leave all of its calls out") {
    const auto may_skip = [](const char* line) {
        const SourceTree tree = cpp_tree(line);
        return tree[*tree.at(1)].has_condition;
    };
    CHECK(may_skip("ready && f(x);\n"));
    CHECK(may_skip("ok = done || f(x);\n"));
    CHECK(may_skip("ready ? std::f(x) : 0;\n"));
    CHECK(may_skip("x = ready ? 0 : f(x);\n"));
    CHECK_FALSE(may_skip("f(a && b);\n"));
    CHECK_FALSE(may_skip("auto&& x = f(y);\n"));
    CHECK_FALSE(may_skip("x = ready ? f(x) : g(x);\n"));
    CHECK_FALSE(may_skip("x = f(x) ? a : b;\n"));
    CHECK_FALSE(may_skip("std::f(x);\n"));
}
