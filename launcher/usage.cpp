// SPDX-License-Identifier: Apache-2.0
#include "launcher/usage.h"

#include <CLI/CLI.hpp>

#include "analyzer/commands/command.h"
#include "launcher/say.h"

namespace memtrace::launcher {

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
