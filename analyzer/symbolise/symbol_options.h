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
};

}  // namespace memtrace::analyzer
