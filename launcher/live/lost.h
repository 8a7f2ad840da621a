// SPDX-License-Identifier: Apache-2.0
//
// `memtrace lost`: asks a running program to search for blocks that nothing points to, and says
// what it has found. The program does the asking's work at its next sample (preload/lost).
#pragma once

#include <string>

namespace memtrace::launcher {

struct LostRequestOfUser {
    std::string program;   // a process id or a dump; empty: the only one that is recorded
    double seconds = 120;  // to wait for an answer
    bool all = false;      // what is still reachable, too
};

// Returns the exit code. Throws Error if there is no such program, or if it does not answer.
int run_lost(const LostRequestOfUser& request);

}  // namespace memtrace::launcher
