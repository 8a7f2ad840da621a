// SPDX-License-Identifier: Apache-2.0
//
// The table of commands, and how a command is started.
#include "analyzer/commands/command.h"

#include <set>

#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("each command has a name of its own, and one function that makes its output") {
    std::set<std::string> names;
    for (const Command* command : all_commands) {
        INFO(command->name);
        CHECK(names.insert(command->name).second);
        CHECK_FALSE(std::string(command->help).empty());
        CHECK(command->add_options != nullptr);
        CHECK(command->finish != nullptr);
        CHECK(command->load_options != nullptr);
        const int makers = static_cast<int>(command->report != nullptr) +
                           static_cast<int>(command->start != nullptr) +
                           static_cast<int>(command->print != nullptr);
        CHECK(makers == 1);
    }
    CHECK(all_commands.front() == &command_summary);
}

TEST_CASE("a command that looks at each dump alone is asked for its report of each") {
    const Story story = training();
    Request request;
    for (const Command* command : {&command_summary, &command_leaks, &command_peak, &command_sites,
                                   &command_info, &command_gpu, &command_tree}) {
        INFO(command->name);
        request.command = command;
        const CommandOutput output = output_of(request, story.recording);
        CHECK_THAT(output.text, Contains("train"));
        CHECK(output.exit_code == exit_fine);
    }
}

TEST_CASE("such a command does not note a dump that cannot be read") {
    Request request;
    request.command = &command_leaks;
    const std::unique_ptr<CommandRun> run = start_command(request);
    CHECK_FALSE(run->add_unread("a.bin", "a.bin is not a dump"));
    CHECK(run->finish(exit_cannot).empty());
}

TEST_CASE("a text that is made as a whole is written as one piece") {
    const auto write_text = whole_text([](std::string& out) { out += "one\ntwo\n"; });
    std::vector<std::string> pieces;
    const Write write = [&](std::string_view piece) { pieces.emplace_back(piece); };
    write_text(write);
    CHECK(pieces == std::vector<std::string>{"one\ntwo\n"});
}

TEST_CASE("every report takes filters, and a range unless it is about whole recordings") {
    for (const char* const command :
         {"summary", "leaks", "growth", "peak", "sites", "tree", "phases", "gpu", "oom", "info"}) {
        INFO(command);
        const Request request =
            request_of({command, "a.bin", "--thread", "loader*", "--thread", "7", "--module", "m",
                        "--function", "f", "--file", "x.py", "--own", "--python-only"});
        CHECK(request.filters.threads == std::vector<std::string>{"loader*", "7"});
        CHECK(request.filters.modules == std::vector<std::string>{"m"});
        CHECK(request.filters.functions == std::vector<std::string>{"f"});
        CHECK(request.filters.files == std::vector<std::string>{"x.py"});
        CHECK(request.filters.own);
        CHECK(request.filters.python_only);
        CHECK(request.dumps == std::vector<std::string>{"a.bin"});
        CHECK(load_options_of({command, "a.bin", "--thread", "7"}).threads.size() == 1);
        const std::string name = command;
        const bool is_whole = name == "growth" || name == "gpu" || name == "oom" || name == "info";
        CHECK(is_refused({command, "a.bin", "--from", "1s"}) == is_whole);
    }
    CHECK(request_of({"lines", "x.py", "a.bin", "--file", "y.py", "--from", "1s"}).from == "1s");
    CHECK(request_of({"baseline", "a.bin", "--own", "--to", "1s"}).filters.own);
    CHECK(request_of({"diff", "a.bin", "b.bin", "--own", "--to", "1s"}).filters.own);
    CHECK(request_of({"export", "a.bin", "--own", "--to", "1s", "--format", "pprof"}).filters.own);
    CHECK(load_options_of({"baseline", "a.bin", "--to", "1s"}).phases.to == "1s");
    CHECK(is_refused({"check", "a.bin", "--from", "1s", "--max-growth-per-hour", "1M"}));
    CHECK(is_refused({"sites", "a.bin", "--from", "step 0"}));
}
