// SPDX-License-Identifier: Apache-2.0
//
// Which function, or which object, is at these addresses, by an ELF symbol table.
//
// The table is read once, from front to back, and each symbol looks for addresses that it covers:
// so a library with a million symbols costs milliseconds, and nothing is sorted or copied.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

struct SymbolHit {
    std::string name;    // as in the table, mangled; empty: no symbol covers the address
    uint64_t value = 0;  // where the symbol starts
};

// Fills in hits[i] for addresses[i] (sorted) where it is empty and this file has a symbol.
// .symtab is preferred; .dynsym answers where there is none.
void find_symbols(const ElfFile& file, std::span<const uint64_t> addresses,
                  std::vector<SymbolHit>& hits);

// The same for data, which always has a size: vtables.
void find_objects(const ElfFile& file, std::span<const uint64_t> addresses,
                  std::vector<SymbolHit>& hits);

}  // namespace memtrace::analyzer
