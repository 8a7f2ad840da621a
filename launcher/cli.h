// SPDX-License-Identifier: Apache-2.0
//
// The words behind `memtrace run`. What shall be reported or checked at the end is understood
// before anything is started: a slip of the finger must not show after three hours of training.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/cli/run.h"

namespace memtrace::launcher {

struct RunRequest {
    std::vector<std::string> program;  // with its arguments
    std::string output;                // MEMTRACE_OUTPUT; empty: as it is
    std::string options;               // MEMTRACE_OPTIONS; empty: as they are
    std::string report_file;           // empty: standard error
    std::optional<analyzer::Request> report;
    std::optional<analyzer::Request> check;

    bool does_something_at_the_end() const { return report || check; }
};

// `words` is what stands behind `run`. An exit code if there is nothing to run: help was asked for,
// or a sentence has been printed.
std::variant<RunRequest, int> parse_run(const std::vector<std::string>& words);

}  // namespace memtrace::launcher
