// SPDX-License-Identifier: Apache-2.0
//
// Runs a request: each dump is loaded, and the command's output goes where it was requested.
#pragma once

#include <optional>
#include <string>

#include "analyzer/commands/command.h"
#include "analyzer/commands/request.h"

namespace memtrace::analyzer {

// Does it for every dump and returns the highest exit code. Throws Error where nothing can be done.
int run(Request request);

// The same for a main(): what went wrong is said in a sentence on standard error, and the exit code
// is that of a wrong usage.
int run_and_say(Request request);

// The newest memtrace.*.bin of `folder`; nothing if there is none.
std::optional<std::string> newest_dump(const std::string& folder);

}  // namespace memtrace::analyzer
