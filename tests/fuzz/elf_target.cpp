// SPDX-License-Identifier: Apache-2.0
//
// A binary that a dump names: its symbols and its debug information.
#include <vector>

#include "analyzer/symbolise/dwarf_lines.h"
#include "analyzer/symbolise/elf_file.h"
#include "analyzer/symbolise/elf_symbols.h"
#include "tests/fuzz/targets.h"
#include "tests/tools/files.h"

namespace memtrace::test {

void run_elf(const uint8_t* data, size_t size) {
    using namespace analyzer;
    const TempFile path(std::vector<uint8_t>(data, data + size));
    const auto file = ElfFile::open(path.path());
    if (file == nullptr) return;
    std::vector<uint64_t> addresses;
    for (uint64_t address = 0; address < 0x4000; address += 0x10) addresses.push_back(address);
    addresses.push_back(~uint64_t{0});
    std::vector<SymbolHit> functions(addresses.size()), objects(addresses.size());
    std::vector<std::vector<SourceFrame>> frames(addresses.size());
    file->build_id();
    file->debug_link();
    file->has_section(".debug_info");
    find_symbols(*file, addresses, functions);
    find_objects(*file, addresses, objects);
    find_lines(*file, addresses, frames);
}

}  // namespace memtrace::test
