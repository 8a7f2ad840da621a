// SPDX-License-Identifier: Apache-2.0
//
// Runs a program and keeps what it writes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace memtrace::launcher {

struct Captured {
    bool ended = false;  // false: it could not be started, or was ended after the time limit
    int code = 0;        // as in a shell: 128 + N after signal N
    std::string out;     // standard output
    std::string err;     // standard error
};

// Variables to set for the program; an empty value removes the variable.
using Changes = std::map<std::string, std::string>;

// Runs the program at the path command[0], without standard input, and waits for its end, at most
// `seconds_max`. Throws analyzer::Error if no process can be made.
Captured run_captured(const std::vector<std::string>& command, const Changes& changes = {},
                      int seconds_max = 30);

}  // namespace memtrace::launcher
