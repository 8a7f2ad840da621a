// SPDX-License-Identifier: Apache-2.0
//
// The options of a command, in the order of its --help. CLI11 reads them. The commands declare them
// here and not with CLI11 itself, because each file with CLI11's templates takes seconds to
// compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace memtrace::analyzer {

// Each function adds an option. `names` is what a user types, like "-o,--output"; `type` stands for
// the value in --help. What was typed is in the variable when the command line has been read, so
// the variable must exist until then. A variable of an option that was not typed stays as it is.
class OptionList {
public:
    explicit OptionList(CLI::App& app) : _app(app) {}

    // With one value.
    void add_value(const std::string& names, std::string& value, const std::string& type,
                   const std::string& help);
    // With one value. The option may be typed again for more.
    void add_values(const std::string& names, std::vector<std::string>& values,
                    const std::string& type, const std::string& help);
    // With a whole number from 1 to `most`.
    void add_count(const std::string& names, size_t& count, uint32_t most, const std::string& help);
    // With one value, and not in --help.
    void add_hidden(const std::string& names, std::string& value);
    void add_hidden(const std::string& names, size_t& value);
    // Without a value.
    void add_flag(const std::string& names, bool& flag, const std::string& help);
    // The same, and it makes the variable false.
    void add_negative_flag(const std::string& names, bool& flag, const std::string& help);
    // What is typed without a name: any number of words, or one that must be there.
    void add_words(const std::string& name, std::vector<std::string>& words,
                   const std::string& help);
    void add_required_word(const std::string& name, std::string& word, const std::string& help);

private:
    CLI::App& _app;
};

}  // namespace memtrace::analyzer
