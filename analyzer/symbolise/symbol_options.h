// SPDX-License-Identifier: Apache-2.0
//
// Places in which symbolise() may look for files.
#pragma once

#include <string>
#include <vector>

namespace memtrace::analyzer {

struct SymbolOptions {
    std::string sysroot;                   // prefix of the traced machine's files; empty: none
    std::vector<std::string> debug_paths;  // folders with debug files or copies of binaries
    bool debuginfod = false;
    // False: no source lines and inlined functions of frames that are not interesting beside Python
    // functions: those of the interpreter, the C library and allocators.
    bool folded_lines = true;
};

}  // namespace memtrace::analyzer
