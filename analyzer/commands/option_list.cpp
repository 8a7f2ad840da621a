// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/option_list.h"

#include <CLI/CLI.hpp>

namespace memtrace::analyzer {

void OptionList::add_value(const std::string& names, std::string& value, const std::string& type,
                           const std::string& help) {
    _app.add_option(names, value, help)->type_name(type);
}

void OptionList::add_values(const std::string& names, std::vector<std::string>& values,
                            const std::string& type, const std::string& help) {
    _app.add_option(names, values, help)->type_name(type)->allow_extra_args(false);
}

void OptionList::add_count(const std::string& names, size_t& count, uint32_t most,
                           const std::string& help) {
    _app.add_option(names, count, help)
        ->type_name("N")
        ->check(CLI::Range(1U, most).description(""));
}

void OptionList::add_hidden(const std::string& names, std::string& value) {
    _app.add_option(names, value)->group("");
}

void OptionList::add_hidden(const std::string& names, size_t& value) {
    _app.add_option(names, value)->group("");
}

void OptionList::add_flag(const std::string& names, bool& flag, const std::string& help) {
    _app.add_flag(names, flag, help);
}

// CLI11 has a syntax for this ("!--no-name"), which it shows in --help.
void OptionList::add_negative_flag(const std::string& names, bool& flag, const std::string& help) {
    _app.add_flag_callback(
        names, [&flag] { flag = false; }, help);
}

void OptionList::add_words(const std::string& name, std::vector<std::string>& words,
                           const std::string& help) {
    _app.add_option(name, words, help)->type_name("DUMP");
}

void OptionList::add_required_word(const std::string& name, std::string& word,
                                   const std::string& help) {
    _app.add_option(name, word, help)->type_name("FILE")->required();
}

}  // namespace memtrace::analyzer
