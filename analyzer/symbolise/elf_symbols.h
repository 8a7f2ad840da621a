// SPDX-License-Identifier: Apache-2.0
//
// Finds the functions or objects at addresses in an ELF symbol table.
//
// The table is read once, from front to back, and each symbol is matched with the addresses that it
// covers. A library with a million symbols costs milliseconds, and nothing is sorted or copied.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/symbolise/elf_file.h"

namespace memtrace::analyzer {

struct SymbolHit {
    // As in the table, mangled; empty: no symbol covers the address. It lies in the file, because a
    // library has tens of thousands of addresses and names of hundreds of characters.
    std::string_view name;
    uint64_t value = 0;  // start of the symbol
};

// Fills in hits[i] for addresses[i] (sorted) if it is empty and this file has a symbol. Uses
// .symtab, or .dynsym if there is no .symtab.
void find_symbols(const ElfFile& file, std::span<const uint64_t> addresses,
                  std::vector<SymbolHit>& hits);

// The same for data, such as vtables. Data always has a size.
void find_objects(const ElfFile& file, std::span<const uint64_t> addresses,
                  std::vector<SymbolHit>& hits);

}  // namespace memtrace::analyzer
