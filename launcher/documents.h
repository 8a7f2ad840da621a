// SPDX-License-Identifier: Apache-2.0
//
// The completions and the man page of `memtrace`.
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/command_words.h"

namespace memtrace::launcher {

// Returns the whole command line: the commands of this program, and those of memtrace-report.
analyzer::CommandTree tree_of_memtrace();

// Returns the names of the commands that memtrace does itself.
std::vector<std::string> own_commands();

// Runs `memtrace completion SHELL` or `memtrace man`, and returns the exit code. `words` begin with
// the command.
int print_document(const std::vector<std::string>& words);

}  // namespace memtrace::launcher
