// SPDX-License-Identifier: Apache-2.0
//
// Answers to command lines that were not accepted.
#include "launcher/usage.h"

#include <CLI/CLI.hpp>

#include "analyzer/commands/command.h"
#include "tests/unit/test.h"

using namespace memtrace::launcher;
using memtrace::analyzer::exit_cannot;
using memtrace::analyzer::exit_fine;

namespace {

int answer_to(const std::string& word) {
    CLI::App app("Does something.", "memtrace something");
    try {
        app.parse(std::vector<std::string>{word});
    } catch (const CLI::ParseError& error) {
        return answer(app, error, "memtrace something");
    }
    return -1;
}

}  // namespace

TEST_CASE("the help has the form of the command line, and of values that are joined by =",
          "[launcher]") {
    CLI::App app("Does something.", "memtrace something");
    set_usage(app, "memtrace something [PID|DUMP]");
    std::string word;
    app.add_option("PID|DUMP", word, "A process id or a dump");
    app.add_flag_callback(
           "--html", [] {}, "A page")
        ->option_text("[=FILE]");
    const std::string help = app.help();
    CHECK(help.find("Usage: memtrace something [PID|DUMP]\n") != std::string::npos);
    CHECK(help.find("--html[=FILE]") != std::string::npos);
    CHECK(help.find("TEXT") == std::string::npos);
}

TEST_CASE("help is no misuse, and a word that is not known is one") {
    CHECK(answer_to("--help") == exit_fine);
    CHECK(answer_to("--nonsense") == exit_cannot);
    CHECK(say_misuse("a sentence", "memtrace something") == exit_cannot);
}
