// SPDX-License-Identifier: Apache-2.0
//
// `memtrace serve`: what a running program holds, over HTTP, read-only, until the program ends.
#pragma once

#include <string>

namespace memtrace::launcher {

struct ServeRequest {
    std::string program;  // a process id or a dump; empty: the only one that is recorded
    int port = 0;         // 0: any that is free
    std::string address = "127.0.0.1";
};

// Returns the exit code. Throws Error if there is no such program, or if the port is taken.
int run_serve(const ServeRequest& request);

}  // namespace memtrace::launcher
