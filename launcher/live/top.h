// SPDX-License-Identifier: Apache-2.0
//
// `memtrace top`: what a running program holds now and what grows, updated in place.
#pragma once

#include <string>

namespace memtrace::launcher {

struct TopRequest {
    std::string program;  // a process id or a dump; empty: the only one that is recorded
    double seconds = 2;   // from one look to the next
    bool once = false;
    std::string sort = "held";
    std::string space = "host";
    std::string filter;
};

// Returns the exit code. Throws Error if there is no such program.
int run_top(const TopRequest& request);

}  // namespace memtrace::launcher
