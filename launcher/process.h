// SPDX-License-Identifier: Apache-2.0
//
// Starts the program, either in place of this process or as a child.
//
// A terminal sends its signals (Ctrl-C) to all processes in the foreground. The program has then
// received the signal too, and `memtrace run` only waits. A signal that is sent to `memtrace run`
// alone is passed on to the program.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace memtrace::launcher {

// Becomes the program, with the environment of this process. Returns only if that fails: prints a
// sentence and returns the exit code.
int become(const std::string& path, const std::vector<std::string>& command);

struct ProcessEnd {
    int pid = 0;
    int code = 0;    // as in a shell: 128 + N after signal N
    int signal = 0;  // that ended the process; 0: none
};

// Starts the program and waits for its end. Throws Error if no process can be created.
ProcessEnd start_and_wait(const std::string& path, const std::vector<std::string>& command);

// Runs `work` in a child process, which ends with the code that it returns, and waits for it. What
// goes wrong there, even a want of memory, does not end this process. Throws Error as above; `what`
// is the subject of the sentence.
ProcessEnd run_apart(const std::string& what, const std::function<int()>& work);

}  // namespace memtrace::launcher
