// SPDX-License-Identifier: Apache-2.0
//
// Runs a request: loads each dump and writes the output of the command to the requested files.
#pragma once

#include "analyzer/commands/command.h"
#include "analyzer/commands/request.h"

namespace memtrace::analyzer {

// Runs the command on every dump and returns the highest exit code. Throws Error if nothing can be
// done.
int run(Request request);

// The same for main(). Instead of throwing, writes a sentence to standard error and returns the
// exit code of wrong usage.
int run_and_say(Request request);

}  // namespace memtrace::analyzer
