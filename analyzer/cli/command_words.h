// SPDX-License-Identifier: Apache-2.0
//
// A command line as CLI11 knows it, in plain data: what completions of shells and man pages are
// made from. So they have what --help has, and nothing else.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace memtrace::analyzer {

enum class Takes : char { nothing, text, file, folder, choice };

struct OptionWords {
    std::vector<std::string> names;  // with their dashes, the short ones first
    std::string value;               // "FILE" or "[=FILE]", as --help has it; empty: a flag
    std::string help;
    Takes takes = Takes::nothing;
    std::vector<std::string> choices;
};

struct CommandTree {
    std::string name;
    std::string help;
    std::string footer;
    std::vector<std::string> words;  // one of these stands behind it
    bool takes_files = false;        // words behind it are dumps
    bool takes_program = false;      // words behind it are a program and its arguments
    std::vector<OptionWords> options;
    std::vector<CommandTree> commands;
};

// Options that --help hides are left out.
CommandTree tree_of(const CLI::App& app);

// Returns the words at the beginning of a help text: "a, b or c" of "a, b or c: what it is". An
// option of the type BY, FORMAT or SHELL begins its help with the words that it takes.
std::vector<std::string> choices_in(const std::string& help);

}  // namespace memtrace::analyzer
