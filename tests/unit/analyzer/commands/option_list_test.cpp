// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/option_list.h"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

namespace memtrace::analyzer {
namespace {

// A command line with one option of each kind, and what it is read into.
struct Line {
    CLI::App app{"What it does."};
    std::string word, value, hidden;
    std::vector<std::string> values;
    size_t count = 7;
    bool flag = false, unless = true;

    Line() {
        OptionList options(app);
        options.add_required_word("file", word, "A file");
        options.add_value("-o,--output", value, "FILE", "Where to");
        options.add_values("--only", values, "NAME", "Only these");
        options.add_count("--top", count, 10, "How many");
        options.add_hidden("--old", hidden);
        options.add_flag("--all", flag, "Everything");
        options.add_flag("!--no-source", unless, "Without sources");
    }
};

TEST_CASE("each option is read into its variable", "[option_list]") {
    Line line;
    line.app.parse("a.py -o b --only c --only d --top 3 --old e --all --no-source");
    CHECK(line.word == "a.py");
    CHECK(line.value == "b");
    CHECK(line.values == std::vector<std::string>{"c", "d"});
    CHECK(line.count == 3);
    CHECK(line.hidden == "e");
    CHECK(line.flag);
    CHECK_FALSE(line.unless);
}

TEST_CASE("an option that is not typed leaves its variable as it was", "[option_list]") {
    Line line;
    line.app.parse("a.py");
    CHECK(line.count == 7);
    CHECK(line.value.empty());
    CHECK(line.unless);
}

TEST_CASE("a repeatable option takes one value at a time", "[option_list]") {
    CLI::App app;
    std::vector<std::string> values, words;
    OptionList options(app);
    options.add_values("--only", values, "NAME", "Only these");
    options.add_words("dumps", words, "Dumps");
    app.parse("--only a b.bin c.bin");
    CHECK(values == std::vector<std::string>{"a"});
    CHECK(words == std::vector<std::string>{"b.bin", "c.bin"});
}

TEST_CASE("counts below 1 and above their limit are refused, and so is a word that lacks",
          "[option_list]") {
    CHECK_THROWS_AS(Line().app.parse("a.py --top 0"), CLI::ParseError);
    CHECK_THROWS_AS(Line().app.parse("a.py --top 11"), CLI::ParseError);
    CHECK_THROWS_AS(Line().app.parse("a.py --top some"), CLI::ParseError);
    CHECK_THROWS_AS(Line().app.parse("--all"), CLI::ParseError);
}

TEST_CASE("the help names options in order, with their types, and no hidden ones",
          "[option_list]") {
    const std::string help = Line().app.help();
    CHECK(help.find("-o,--output FILE") < help.find("--only NAME"));
    CHECK(help.find("--top N") < help.find("--all"));
    CHECK(help.find("--old") == std::string::npos);
}

}  // namespace
}  // namespace memtrace::analyzer
