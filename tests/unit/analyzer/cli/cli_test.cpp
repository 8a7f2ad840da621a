// SPDX-License-Identifier: Apache-2.0
//
// The command line becomes a request, or exit code 2.
#include "analyzer/cli/cli.h"

#include <fstream>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::variant<Request, int> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "memtrace-report");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

Request request(const std::vector<const char*>& words) {
    const auto parsed = parse(words);
    REQUIRE(std::holds_alternative<Request>(parsed));
    return std::get<Request>(parsed);
}

int refused(const std::vector<const char*>& words) {
    const auto parsed = parse(words);
    REQUIRE(std::holds_alternative<int>(parsed));
    return std::get<int>(parsed);
}

}  // namespace

TEST_CASE("without a command it is the summary") {
    const Request found = request({"a.bin", "b.bin"});
    CHECK(found.command == &command_summary);
    CHECK(found.dumps == std::vector<std::string>{"a.bin", "b.bin"});
    CHECK(found.text.top == 3);
    CHECK(request({}).dumps.empty());
}

TEST_CASE("options stand before or behind the dump, and take one value each") {
    const Request found = request({"sites", "--sort", "leaked", "--top", "3", "--json", "-",
                                   "a.bin", "--min", "4K", "--depth", "20", "--space", "mmap"});
    CHECK(found.command == &command_sites);
    CHECK(found.sort == Measure::leaked);
    CHECK(found.json == "-");
    CHECK(found.dumps == std::vector<std::string>{"a.bin"});
    CHECK(found.text.min_value == 4096);
    CHECK(found.text.top == 3);
    CHECK(found.text.depth == 20);
    CHECK(found.text.space == "mmap");
    CHECK(request({"--debug-path", "x", "--debug-path", "y", "a.bin"}).symbols.debug_paths ==
          std::vector<std::string>{"x", "y"});
}

TEST_CASE("an option with an empty value does not take the next word for it") {
    CHECK(refused({"sites", "--function=", "a.bin"}) == 2);
    CHECK(refused({"--from=", "--depth", "1"}) == 2);
    CHECK(request({"sites", "--function=a=", "a.bin"}).dumps.size() == 1);
}

TEST_CASE("limits repeat") {
    const Request found = request({"check", "--max-peak-bytes", "1G", "--max-peak-bytes", "mmap=2G",
                                   "--max-leaked-blocks", "0", "a.bin"});
    const std::vector<Limit>& limits = found.check.limits;
    REQUIRE(limits.size() == 3);
    CHECK(limits[0].metric == Metric::peak_bytes);
    CHECK(limits[1].space == "mmap");
    CHECK(limits[2].metric == Metric::leaked_blocks);
    CHECK(found.dumps == std::vector<std::string>{"a.bin"});
}

TEST_CASE("check compares with a baseline, and writes it; limits on sites name their metric") {
    const Request found = request({"check", "a.bin", "--baseline", "b.json", "--max-site",
                                   "leaked-bytes=+10%", "--max-new-site", "leaked-bytes=mmap=1M",
                                   "--suppressions", "a.supp", "--suppressions", "b.supp",
                                   "--no-default-suppressions", "--junit", "j.xml", "--github"});
    CHECK(found.check.baseline == "b.json");
    CHECK_FALSE(found.check.update_baseline);
    REQUIRE(found.check.limits.size() == 2);
    CHECK(found.check.limits[0].scope == Scope::site);
    CHECK(found.check.limits[1].scope == Scope::new_site);
    CHECK(found.check.suppressions == std::vector<std::string>{"a.supp", "b.supp"});
    CHECK_FALSE(found.check.default_suppressions);
    CHECK(found.check.junit == "j.xml");
    CHECK(found.check.github);
    CHECK(request({"check", "a.bin", "--update-baseline"}).check.baseline ==
          "memtrace-baseline.json");
    CHECK(request({"baseline", "a.bin", "b.bin", "--output", "b.json"}).check.output == "b.json");
    CHECK(request({"suppressions"}).command == &command_suppressions);
    CHECK(refused({"check", "a.bin", "--max-new-site", "leaked-bytes=+10%"}) == 2);
    CHECK(refused({"baseline", "a.bin", "--json", "-"}) == 2);
    CHECK(refused({"check", "a.bin", "--config", "/nonexistent.toml"}) == 2);
}

TEST_CASE("lines has a file before the dump, tree has a depth and a least of its own") {
    const Request lines = request({"lines", "src/train.py", "a.bin", "--space", "mmap"});
    CHECK(lines.command == &command_lines);
    CHECK(lines.source == "src/train.py");
    CHECK(lines.dumps == std::vector<std::string>{"a.bin"});
    CHECK(request({"lines", "train.py"}).dumps.empty());
    const Request tree = request({"tree", "a.bin"});
    CHECK(tree.text.depth == 40);
    CHECK(tree.text.min_percent == 1);
    const Request typed = request({"tree", "a.bin", "--min", "0.5%", "--depth", "7", "--sort",
                                   "leaked", "--interpreter-frames"});
    CHECK(typed.text.min_percent == 0.5);
    CHECK(typed.text.min_value == 0);
    CHECK(typed.text.depth == 7);
    CHECK(typed.sort == Measure::leaked);
    CHECK(typed.text.interpreter_frames);
    CHECK(request({"tree", "--min", "1M", "a.bin"}).text.min_percent == 0);
    CHECK(refused({"lines"}) == 2);
    CHECK(refused({"tree", "--sort", "own-peak", "a.bin"}) == 2);
    CHECK(refused({"tree", "--min", "200%", "a.bin"}) == 2);
}

TEST_CASE("misuse is exit code 2, help is not") {
    CHECK(refused({"--frobnicate", "a.bin"}) == 2);
    CHECK(refused({"check", "a.bin"}) == 2);
    CHECK(refused({"check", "--max-leaked-bytes", "many", "a.bin"}) == 2);
    CHECK(refused({"check", "--max-leaked-bytes"}) == 2);
    CHECK(refused({"sites", "--sort", "size", "a.bin"}) == 2);
    CHECK(refused({"--top", "x", "a.bin"}) == 2);
    CHECK(refused({"--min", "x", "a.bin"}) == 2);
    CHECK(refused({"leeks", "a.bin"}) == 2);
}

TEST_CASE("a mistyped command is misuse, whatever options follow; help is not") {
    CHECK(refused({"docter", "--program", "x"}) == 2);
    CHECK(refused({"doctor"}) == 2);
    CHECK(refused({"help"}) == 0);
    CHECK(refused({"help", "leaks"}) == 0);
    CHECK(refused({"help", "leeks"}) == 2);
}

TEST_CASE("an empty value, as of an unset variable of the shell, is refused") {
    for (const char* option : {"--phase", "--from", "--to", "--space", "--function", "--thread",
                               "--module", "--file", "--step", "--json"}) {
        CHECK(refused({"sites", "a.bin", option, ""}) == exit_cannot);
    }
    CHECK(refused({"check", "a.bin", "--baseline", ""}) == exit_cannot);
    CHECK(refused({"merge", "a.bin", "-o", ""}) == exit_cannot);
}
