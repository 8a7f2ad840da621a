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

// Says what was misused and where help is, or prints the help. Returns the exit code. `command` is
// "memtrace run".
int answer(const CLI::App& app, const CLI::ParseError& error, const std::string& command);

// Says the sentence and where help is. Returns the exit code of misuse.
int say_misuse(const std::string& sentence, const std::string& command);

}  // namespace memtrace::launcher
