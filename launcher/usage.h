// SPDX-License-Identifier: Apache-2.0
//
// The answer to a command line that CLI11 did not accept, or that asked for help.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace memtrace::launcher {

// The form of the command line in the help: "memtrace top [OPTIONS] [PID|DUMP]". The form of an
// option's value is option_text(), and stands without a space if it begins with "[=".
void set_usage(CLI::App& app, const std::string& form);

// Says what was misused and where help is, or prints the help. Returns the exit code. `command` is
// "memtrace run".
int answer(const CLI::App& app, const CLI::ParseError& error, const std::string& command);

// Says the sentence and where help is. Returns the exit code of misuse.
int say_misuse(const std::string& sentence, const std::string& command);

}  // namespace memtrace::launcher
