// SPDX-License-Identifier: Apache-2.0
//
// Requests made from the words of a command line, and the output of a command on a recording made
// by hand.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

namespace memtrace::analyzer {

inline std::variant<Request, int> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "memtrace-report");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

inline Request request_of(const std::vector<const char*>& words) {
    const auto parsed = parse(words);
    REQUIRE(std::holds_alternative<Request>(parsed));
    return std::get<Request>(parsed);
}

inline bool is_refused(const std::vector<const char*>& words) {
    const auto parsed = parse(words);
    return std::holds_alternative<int>(parsed) && std::get<int>(parsed) == exit_cannot;
}

inline LoadOptions load_options_of(const std::vector<const char*>& words) {
    const Request request = request_of(words);
    return request.command->load_options(request);
}

// For commands that load a recording once.
inline Recording load_once(const Request& request) {
    throw Error("no command should load the recording again, for " +
                std::string(request.command->name));
}

struct CommandOutput {
    std::string text;
    std::string json;  // further members of the document; empty if the command has none
    int exit_code = exit_fine;
};

// Runs the command of `request` on one recording.
inline CommandOutput output_of(const Request& request, const Recording& recording) {
    const std::unique_ptr<CommandRun> run = start_command(request);
    const DumpReport report = run->add(recording, load_once);
    CommandOutput output;
    output.exit_code = report.exit_code;
    if (report.json) output.json = report.json();
    if (report.write_text) {
        report.write_text([&](std::string_view piece) { output.text += piece; });
    }
    output.text += run->finish(output.exit_code);
    return output;
}

}  // namespace memtrace::analyzer
