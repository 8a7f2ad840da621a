// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/command_words.h"

#include <CLI/CLI.hpp>
#include <string_view>

namespace memtrace::analyzer {
namespace {

Takes kind_of(const std::string& value) {
    if (value.empty()) return Takes::nothing;
    if (value == "FILE") return Takes::file;
    if (value == "DIR") return Takes::folder;
    if (value == "BY" || value == "FORMAT" || value == "SHELL") return Takes::choice;
    return Takes::text;
}

OptionWords words_of(const CLI::Option& option) {
    OptionWords words;
    for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0) {
        words.value = option.get_type_name();
    }
    words.help = option.get_description();
    words.takes = kind_of(words.value);
    if (!option.get_option_text().empty()) words.value = option.get_option_text();
    if (words.takes == Takes::choice) words.choices = choices_in(words.help);
    return words;
}

}  // namespace

std::vector<std::string> choices_in(const std::string& help) {
    constexpr const char* letters = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    std::vector<std::string> choices;
    std::string_view rest = help;
    for (;;) {
        const size_t end = std::min(rest.find_first_not_of(letters), rest.size());
        if (end == 0) return choices;
        choices.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end);
        if (rest.starts_with(", ")) rest.remove_prefix(2);
        else if (rest.starts_with(" or ")) rest.remove_prefix(4);
        else return choices;
    }
}

CommandTree tree_of(const CLI::App& app) {
    CommandTree tree;
    tree.name = app.get_name();
    tree.help = app.get_description();
    tree.footer = app.get_footer();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            const OptionWords words = words_of(*option);
            tree.words = words.choices;
            tree.takes_files = words.takes == Takes::file || words.takes == Takes::text;
            tree.takes_program = words.value == "PROGRAM";
        } else if (!option->get_group().empty()) {
            tree.options.push_back(words_of(*option));
        }
    }
    for (const CLI::App* command : app.get_subcommands({})) {
        tree.commands.push_back(tree_of(*command));
    }
    return tree;
}

}  // namespace memtrace::analyzer
