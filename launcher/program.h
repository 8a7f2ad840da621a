// SPDX-License-Identifier: Apache-2.0
//
// Finds the file of a program, and predicts whether the loader will preload a library into it. A
// user should not learn only after the run that nothing was recorded.
#pragma once

#include <string>
#include <vector>

namespace memtrace::launcher {

// Exit codes as in a shell.
enum StartCode : int { start_fine = 0, start_not_executable = 126, start_not_found = 127 };

struct Program {
    std::string path;  // empty if the program cannot be started
    int code = start_fine;
    std::string problem;  // a sentence if the program cannot be started
};

// Finds a program. A name without a slash is searched in $PATH.
Program find_program(const std::string& name);

enum class Preload : char {
    works,
    ignored,  // the program runs as usual, and nothing is recorded
    fatal,    // with the library, the program would not start
};

struct Forecast {
    Preload preload = Preload::works;
    std::string reason;  // a sentence if it does not work
};

// Predicts from the header of the file, or of the interpreter if the file is a script. Returns
// `works` if the header does not tell.
Forecast forecast_preload(const std::string& path);

// Returns why a command line keeps the shim from the program that it starts, a sentence; "": it
// does not. Programs that set the environment anew (env -i) take the shim's variables out of it.
std::string why_environment_is_lost(const std::vector<std::string>& command);

// Returns what a person should know of a run that left no dump: which of its processes are never
// recorded, and what keeps others from it.
std::string why_nothing_is_recorded(const std::vector<std::string>& command);

// The file that the kernel starts for a path, and the loader that it names.
struct Loading {
    std::string program;  // of a script, its interpreter
    std::string loader;   // empty: it is not known, or is not glibc's
};

Loading loading_of(const std::string& path);

}  // namespace memtrace::launcher
