// SPDX-License-Identifier: Apache-2.0
//
// `memtrace start` and `memtrace stop`: switch the recording of a running program on and off.
#pragma once

#include <string>

namespace memtrace::launcher {

struct SwitchRequest {
    std::string program;  // a process id or a dump; empty: the only one that is recorded
};

// Return the exit code. They throw Error if there is no such program, or if it cannot be asked.
int run_start(const SwitchRequest& request);
int run_stop(const SwitchRequest& request);

}  // namespace memtrace::launcher
