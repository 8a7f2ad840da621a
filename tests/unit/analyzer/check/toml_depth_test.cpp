// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/toml_depth.h"

#include <algorithm>
#include <string>

#include "analyzer/base/error.h"
#include "analyzer/check/project_config.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string repeated(const std::string& text, size_t count) {
    std::string all;
    for (size_t i = 0; i < count; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("a configuration as people write it is not deep") {
    CHECK_FALSE(too_deep_line(R"(
        # a.b.c.d: dots in comments are none ............................................
        text = "............................................................."
        more = '.............................................\'
        long = """
        ..........................\""".........................."""
        numbers = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5,
                   1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
        [limits."device:0"]
        [phases.train.limits]
    )"));
    CHECK_FALSE(too_deep_line(repeated("[a.b]\n", 1000)));
}

TEST_CASE("keys of many parts and many brackets are told with their line") {
    CHECK(too_deep_line("\n\n" + repeated("a.", 300'000) + "b = 1") == 3);
    CHECK(too_deep_line("[" + repeated("a.", 300'000) + "b]") == 1);
    CHECK(too_deep_line("[[" + repeated("'a' . ", 300'000) + "b]]") == 1);
    CHECK(too_deep_line("a = " + repeated("[", 300'000)) == 1);
    CHECK(too_deep_line("a = " + repeated("[\n", 300'000)) == 33);
    CHECK(too_deep_line("a = " + repeated("{a=", 300'000)) == 1);
    CHECK(too_deep_line("a = \"x\n" + repeated("b.", 300'000)) ==
          2);  // The string ends with its line.
    CHECK(too_deep_line("a = {" + repeated("\"x\".", 300'000) + "c=1}") == 1);
}

TEST_CASE("none of them reaches the parser") {
    for (const std::string& text :
         {repeated("a.", 300'000) + "b = 1", "[" + repeated("a.", 300'000) + "b]",
          "a = " + repeated("[", 300'000) + repeated("]", 300'000),
          "a = " + repeated("{a=", 300'000), repeated("[", 300'000)}) {
        CHECK_THROWS_WITH(parse_config(text, "x.toml"),
                          Contains("x.toml:1: this is nested more than 32 deep"));
    }
    // What passes is refused by the parser, or as a key that does not exist.
    CHECK_THROWS_AS(parse_config("a = " + repeated("[", 32), "x.toml"), Error);
    CHECK_THROWS_WITH(parse_config(repeated("a.", 31) + "b = 1", "x.toml"), Contains("no key"));
    CHECK_THROWS_WITH(parse_config(std::string(100'000, 'k') + " = 1", "x.toml"),
                      Contains("kkk…\""));
}

TEST_CASE("characters beyond ASCII are told with their line, unless they are quoted") {
    CHECK(beyond_ascii_line("a = 1\nü = 2") == 2);
    CHECK(beyond_ascii_line("\xc9\xa9i]]]") == 1);
    CHECK(beyond_ascii_line("a = \xc2\xa0 1") == 1);
    CHECK_FALSE(
        beyond_ascii_line("\xef\xbb\xbf"
                          "a = 1"));
    CHECK_FALSE(beyond_ascii_line("# größer\n\"größer\" = 'größer'\nb = \"\"\"\nö\"\"\""));
    CHECK(beyond_ascii_line("a = 19\"ö\"") == 1);  // no string begins there
    CHECK_FALSE(beyond_ascii_line("a.\"ö\" = [ \"ö\", 'ö' ]\nb = { \"ö\" = 1 }"));
    CHECK_FALSE(beyond_ascii_line("a = \"\"\"x\\\n \xef\xbb\xbfn\"\"\""));
    CHECK_FALSE(beyond_ascii_line("a = \"\"\"\\\n  x ü\"\"\"\nb = '''\\ü'''"));
    CHECK_FALSE(beyond_ascii_line("a = \"\\\"ü\""));
    CHECK_THROWS_WITH(parse_config("[limits]\nü = 1", "memtrace.toml"),
                      Contains("memtrace.toml:2: a character that is not ASCII"));
}

TEST_CASE("the parser gets ASCII only, and the configuration has the text itself") {
    for (const std::string text : {"", "a = 1", "größer ~ 日本 \xf0\x9f\x98\x80", "~7E~C3", "~"}) {
        const std::string ascii = ascii_toml(text);
        CHECK(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c >= 0; }));
        CHECK(text_of_ascii_toml(ascii) == text);
    }
    CHECK(text_of_ascii_toml("~~41 ~4 ~C3~BC ~") == "~~41 ~4 ü ~");
    // A backslash at the end of a line, and characters that are white space to some.
    const ProjectConfig config = parse_config(
        "\xef\xbb\xbf[code]\nown = [\"größe/~x\", \"\"\"\\\n  \xc2\xa0ü/y\"\"\"]\n"
        "[phases.\"日本 1\".limits]\npeak-bytes = \"1M\"\n",
        "memtrace.toml");
    CHECK(config.code.own == std::vector<std::string>{"größe/~x", "\xc2\xa0ü/y"});
    CHECK(config.limits.at(0).phase == "日本 1");
}

TEST_CASE("characters beyond ASCII that the parser cannot take are refused") {
    // Each was undefined behaviour of the parser.
    for (const std::string text : {"A=[19:17:31.\"\"\"q.b\xef\xba\xbf", "a=1979-05-27\xc9\xa9",
                                   "a = 1 \xe3\x80\x81", "a = \"\"\"x\"\"\" \xc9\xa9"}) {
        CHECK_THROWS_AS(parse_config(text, "x.toml"), Error);
    }
    CHECK_THROWS_WITH(parse_config("a = \"\xff\"", "x.toml"), Contains("not UTF-8"));
}
