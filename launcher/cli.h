// SPDX-License-Identifier: Apache-2.0
//
// The command line of `memtrace run`. The report and the check at the end are parsed before
// anything is started, so that a typing error is not found after three hours of training.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/cli/run.h"

namespace CLI {
class App;
}

namespace memtrace::launcher {

struct RunRequest {
    std::vector<std::string> program;  // with its arguments
    std::string output;                // MEMTRACE_OUTPUT; empty: unchanged
    std::string options;               // MEMTRACE_OPTIONS; empty: unchanged
    std::string report_file;           // empty: standard error
    std::optional<analyzer::Request> report;
    std::optional<analyzer::Request> check;

    // The page of the first process: its file; empty: beside the dump; nothing: no page.
    std::optional<std::string> html;
    bool open = false;  // the page in the browser; there is one then

    bool does_something_at_the_end() const { return report || check || html; }
};

// Adds the options of `memtrace run`, as its help has them.
void declare_run(CLI::App& app, RunRequest& request);

// Parses the words after `run`. Returns an exit code if there is nothing to run. In that case help
// or a sentence about the misuse has been printed.
std::variant<RunRequest, int> parse_run(const std::vector<std::string>& words);

}  // namespace memtrace::launcher
