// SPDX-License-Identifier: Apache-2.0
//
// The command line of memtrace-report.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "analyzer/cli/run.h"

namespace memtrace::analyzer {

// What to do, or the exit code if there is nothing to do (help was asked for, or misuse: a sentence
// has been printed).
std::variant<Request, int> parse_command_line(int argc, const char* const* argv);

}  // namespace memtrace::analyzer
