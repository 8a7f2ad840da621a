// SPDX-License-Identifier: Apache-2.0
//
// Which source lines are at these addresses, and which functions the compiler put into which.
//
// Only compilation units that hold one of the addresses are read; a file without debug information
// costs one look at its section table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

// One function at one address. An address has several when functions were inlined: innermost first.
struct SourceFrame {
    std::string function;  // empty: not said
    bool mangled = false;
    std::string file;  // empty: not known
    uint32_t line = 0;
    bool inlined = false;  // False for the last one: the function that really is there.
};

// Fills in frames[i] for addresses[i] (sorted) where the file knows. Returns whether the file has
// debug information at all.
bool find_lines(const ElfFile& file, std::span<const uint64_t> addresses,
                std::vector<std::vector<SourceFrame>>& frames);

}  // namespace memtrace::analyzer
