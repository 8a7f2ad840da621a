// SPDX-License-Identifier: Apache-2.0
//
// Completions of command lines, as a script of the shell. Each completes commands, options, their
// values and the names of files, and behind `memtrace run --` the program's own words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/cli/command_words.h"

namespace memtrace::analyzer {

std::string bash_completion(const CommandTree& tree);
std::string zsh_completion(const CommandTree& tree);
std::string fish_completion(const CommandTree& tree);

// Returns the script for "bash", "zsh" or "fish", or nothing for any other name.
std::optional<std::string> completion(const CommandTree& tree, std::string_view shell);

}  // namespace memtrace::analyzer
