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
