// SPDX-License-Identifier: Apache-2.0
//
// The command line of memtrace-report.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/cli/run.h"

namespace CLI {
class App;
}

namespace memtrace::analyzer {

// Adds every command of memtrace-report with its options. A parse of `app` sets `request` and the
// name of the command.
void add_commands(CLI::App& app, Request& request, std::string& command_name);

// Throws Error if an option has an empty value ("--function=", of a variable that is empty in a
// script). CLI11 would take the next word for it, which is a dump or another option.
void refuse_empty_values(const std::vector<std::string>& words);

// The program that the user has called.
struct CalledProgram {
    std::string name = "memtrace-report";
    std::vector<std::string> commands = {};  // its own, beside those of memtrace-report
};

// Returns the request, or an exit code if there is nothing to run. In that case help or a sentence
// about the misuse has been printed.
std::variant<Request, int> parse_command_line(int argc, const char* const* argv,
                                              const CalledProgram& caller = {});

}  // namespace memtrace::analyzer
