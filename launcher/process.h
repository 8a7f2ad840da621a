// SPDX-License-Identifier: Apache-2.0
//
// Starting the program: in our place, or as a child that is waited for.
//
// A terminal sends its signals (Ctrl-C) to all processes in front: the program has got it too, and
// the launcher only waits. What somebody sends to the launcher alone goes on to the program.
#pragma once

#include <string>
#include <vector>

namespace memtrace::launcher {

// Becomes the program, with this process's environment. Returns only if that fails: the exit code,
// after a sentence.
int become(const std::string& path, const std::vector<std::string>& command);

struct ProcessEnd {
    int pid = 0;
    int code = 0;    // as a shell says it: 128 + N after signal N
    int signal = 0;  // 0: none ended it
};

// Starts it and waits for its end. Throws Error if no process can be made.
ProcessEnd start_and_wait(const std::string& path, const std::vector<std::string>& command);

}  // namespace memtrace::launcher
