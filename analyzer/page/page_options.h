// SPDX-License-Identifier: Apache-2.0
//
// What the reader of a page may see, and how large the page may become.
#pragma once

#include <cstddef>
#include <string>

namespace memtrace::analyzer {

struct PageOptions {
    bool with_command = true;  // arguments of the program; without: only its name
    bool with_source = true;   // lines of the source files
    bool short_paths = false;  // paths end in the file's name, or begin in their package
    std::string sysroot = {};  // where the files of the traced machine are
    bool interpreter_frames = false;
    size_t bytes_max = 1'900'000;  // of the whole file
};

}  // namespace memtrace::analyzer
