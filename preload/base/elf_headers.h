// SPDX-License-Identifier: Apache-2.0
//
// Program headers of a loaded ELF file.
//
// Linkers put them behind the file's header, and so they are in memory. Tools that give a library
// another search path may move them to the end of the file, into a part that need not be mapped.
// They are then read from the file. The loader knows them, too, but it tells only under its lock.
#pragma once

#include <link.h>

#include <cstdint>
#include <span>

namespace memtrace::preload {

class ElfHeaders {
public:
    // `base`: address of the file's header. `path`: the file, if it must be read.
    ElfHeaders(uint64_t base, const char* path);
    ElfHeaders(const ElfHeaders&) = delete;
    ElfHeaders& operator=(const ElfHeaders&) = delete;

    // Empty if there is no ELF file, or if its headers can't be had.
    std::span<const ElfW(Phdr)> get() const { return headers_; }

private:
    static constexpr unsigned headers_max = 24;

    void read(const ElfW(Ehdr) & elf, const char* path);

    std::span<const ElfW(Phdr)> headers_;
    ElfW(Phdr) copy_[headers_max];
};

}  // namespace memtrace::preload
