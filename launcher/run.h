// SPDX-License-Identifier: Apache-2.0
//
// One `memtrace run`, from the request to the exit code.
#pragma once

#include "launcher/cli.h"

namespace memtrace::launcher {

// Does not return if the program takes our place. Throws analyzer::Error where nothing can be done.
int run(const RunRequest& request);

// The exit code of a run: a program that failed is the news, else the check's.
int exit_code_of_run(int program_code, int check_code);

}  // namespace memtrace::launcher
