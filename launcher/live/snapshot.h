// SPDX-License-Identifier: Apache-2.0
//
// `memtrace snapshot`: the profile of a running program as it is now.
#pragma once

#include <string>

namespace memtrace::launcher {

struct SnapshotRequest {
    std::string program;  // a process id or a dump; empty: the only one that is recorded
    std::string output;   // empty: named after the dump
};

// Returns the exit code. Throws Error if there is no such program.
int run_snapshot(const SnapshotRequest& request);

}  // namespace memtrace::launcher
