// SPDX-License-Identifier: Apache-2.0
//
// One mapped ELF file. Nothing of it is read before it is needed.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace memtrace::analyzer {

class ElfFile {
public:
    // Returns null if there is no such file or it is not ELF.
    static std::unique_ptr<ElfFile> open(const std::string& path);
    ~ElfFile();
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    Elf* elf() const { return elf_; }
    // Reads bytes of the file, and returns how many there were. What is read once, from front to
    // back, would stay in memory if it were looked at in the mapping.
    size_t read(uint64_t offset, void* bytes, size_t count) const;
    const std::string& path() const { return path_; }
    std::string build_id() const;  // raw bytes; empty: none
    uint64_t entry() const;        // start address of a program; 0 for libraries
    bool has_section(const char* name) const;
    // Returns the name of the file with the debug information and its checksum; empty: none given.
    std::pair<std::string, uint32_t> debug_link() const;

private:
    ElfFile(std::string path, int fd, Elf* elf) : path_(std::move(path)), fd_(fd), elf_(elf) {}

    std::string path_;
    int fd_;
    Elf* elf_;
};

}  // namespace memtrace::analyzer
