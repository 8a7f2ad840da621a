// SPDX-License-Identifier: Apache-2.0
#include "launcher/usage.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "analyzer/commands/command.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

class Help : public CLI::Formatter {
public:
    explicit Help(std::string form) : form_(std::move(form)) {}

    std::string make_usage(const CLI::App*, std::string) const override {
        return "Usage: " + form_ + "\n";
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_positional()) return "";
        const std::string& text = option->get_option_text();
        return text.starts_with("[=") ? text : CLI::Formatter::make_option_opts(option);
    }

private:
    std::string form_;
};

}  // namespace

void set_usage(CLI::App& app, const std::string& form) {
    auto help = std::make_shared<Help>(form);
    help->column_width(30);
    app.formatter(std::move(help));
}

int answer(const CLI::App& app, const CLI::ParseError& error, const std::string& command) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string text = error.what();
    const std::string unknown = "The following argument was not expected: ";
    const bool is_unknown = text.starts_with(unknown);
    return say_misuse(is_unknown ? "there is no option " + text.substr(unknown.size()) : text,
                      command);
}

int say_misuse(const std::string& sentence, const std::string& command) {
    say(sentence + " (" + command + " --help says what is possible)");
    return analyzer::exit_cannot;
}

}  // namespace memtrace::launcher
