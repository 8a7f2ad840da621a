// SPDX-License-Identifier: Apache-2.0
//
// Which file a program's name means, and whether the loader will preload a library into it. Nobody
// wants to learn after the run that there was nothing to record.
#pragma once

#include <string>

namespace memtrace::launcher {

// As a shell's.
enum StartCode : int { start_fine = 0, start_not_executable = 126, start_not_found = 127 };

struct Program {
    std::string path;  // empty: it cannot be started
    int code = start_fine;
    std::string problem;  // a sentence, if it cannot
};

// A name without a slash is looked for in $PATH.
Program find_program(const std::string& name);

enum class Preload : char {
    works,
    ignored,  // it runs as ever, and nothing of it is recorded
    fatal,    // with the library it would not start
};

struct Forecast {
    Preload preload = Preload::works;
    std::string reason;  // a sentence, if it does not work
};

// By the file's header, and the interpreter's where it is a script. What it cannot tell works.
Forecast forecast_preload(const std::string& path);

}  // namespace memtrace::launcher
