// SPDX-License-Identifier: Apache-2.0
//
// Finds the source lines and the inlined functions at addresses.
//
// Only compilation units that contain one of the addresses are read. A file without debug
// information costs one look at its section table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

// One function at one address. With inlining an address has several, the innermost first.
struct SourceFrame {
    std::string function;  // empty: not known
    bool mangled = false;
    std::string file;  // empty: not known
    uint32_t line = 0;
    bool inlined = false;  // False for the last frame, the function that contains the code.
};

// Fills in frames[i] for addresses[i] (sorted) if the file contains them. Returns true if the file
// has any debug information.
bool find_lines(const ElfFile& file, std::span<const uint64_t> addresses,
                std::vector<std::vector<SourceFrame>>& frames);

}  // namespace memtrace::analyzer
