// SPDX-License-Identifier: Apache-2.0
//
// One `memtrace run`, from the request to the exit code.
#pragma once

#include "launcher/cli.h"

namespace memtrace::launcher {

// Runs the program and returns the exit code. Does not return if this process becomes the program.
// Throws analyzer::Error if nothing can be done.
int run(const RunRequest& request);

// Returns the exit code of a run: that of the program if it failed, otherwise that of the check.
int exit_code_of_run(int program_code, int check_code);

}  // namespace memtrace::launcher
