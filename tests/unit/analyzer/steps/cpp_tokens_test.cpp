// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/cpp_tokens.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("macros have a loop if they or those that they name have one") {
    CppMacros macros;
    CppScanner(
        "#define EACH(n) for (int i = 0; i < n; ++i)\n"
        "#define FILL(n) EACH(n) use(n)\n"
        "#  define UNTIL(x) do { use(x); } \\\n"
        "    while (!(x))\n"
        "#define ONCE(n) do { use(n); } while (0)\n"
        "#define A B\n"
        "#define B A\n",
        &macros)
        .scan();
    for (const char* name : {"EACH", "FILL", "UNTIL"}) CHECK(macros.has_loop(name));
    for (const char* name : {"ONCE", "A", "B", "use"}) CHECK_FALSE(macros.has_loop(name));
    CHECK(macros.is_known("ONCE"));
    CHECK_FALSE(macros.is_known("use"));
}

TEST_CASE("macros of headers count, also if headers include each other") {
    std::vector<std::string> read;
    CppMacros macros([&](std::string_view name) -> std::string {
        read.emplace_back(name);
        if (name == "a.h") return "#pragma once\n#include \"b.h\"\nvoid f();\n";
        if (name == "b.h") return "  #include \"a.h\"\n#define EACH \\\n    for (;;)";
        return {};
    });
    const std::vector<CppToken> tokens =
        CppScanner("#include <vector>\n#include \"a.h\"\n#include \"c.h\"\nx", &macros).scan();
    CHECK(read == std::vector<std::string>{"a.h", "b.h", "c.h"});
    CHECK(macros.has_loop("EACH"));
    REQUIRE(tokens.size() == 1);
    CHECK(tokens[0].line == 4);
}

TEST_CASE("a directive of nothing but number signs is no macro") {
    CppMacros macros;
    CHECK(CppScanner(std::string(1 << 20, '#'), &macros).scan().empty());
}
