// SPDX-License-Identifier: Apache-2.0
#include "preload/base/elf_headers.h"

#include <fcntl.h>

#include <cstring>

#include "memtrace/dump/format.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

bool read_at(int file, uint64_t offset, void* bytes, size_t size) {
    const long got = sys::call(SYS_pread64, file, sys::address_of(bytes), static_cast<long>(size),
                               static_cast<long>(offset));
    return got == static_cast<long>(size);
}

}  // namespace

ElfHeaders::ElfHeaders(uint64_t base, const char* path) {
    const auto& elf = *reinterpret_cast<const ElfW(Ehdr)*>(base);
    if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_phentsize != sizeof copy_[0])
        return;
    // Only the page of the file's header is sure to be mapped.
    if (elf.e_phoff + uint64_t{elf.e_phnum} * elf.e_phentsize <= page_bytes) {
        headers_ = {reinterpret_cast<const ElfW(Phdr)*>(base + elf.e_phoff), elf.e_phnum};
    } else if (path != nullptr && elf.e_phnum <= headers_max) {
        read(elf, path);
    }
}

void ElfHeaders::read(const ElfW(Ehdr) & elf, const char* path) {
    const int file = sys::open(path, O_RDONLY);
    if (file < 0) return;
    // Another file may lie there by now.
    ElfW(Ehdr) found;
    const bool is_same =
        read_at(file, 0, &found, sizeof found) && std::memcmp(&found, &elf, sizeof found) == 0;
    if (is_same && read_at(file, elf.e_phoff, copy_, elf.e_phnum * sizeof copy_[0])) {
        headers_ = {copy_, elf.e_phnum};
    }
    sys::close(file);
}

}  // namespace memtrace::preload
