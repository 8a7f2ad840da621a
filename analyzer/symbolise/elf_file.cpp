// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace memtrace::analyzer {

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path) {
    [[maybe_unused]] static const unsigned version = elf_version(EV_CURRENT);
    // O_NONBLOCK, because a path from a dump may be that of a pipe here, and opening must not
    // block.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return nullptr;
    struct stat status {};
    Elf* elf = nullptr;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, nullptr);
    }
    if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        close(fd);
        return nullptr;
    }
    return std::unique_ptr<ElfFile>(new ElfFile(path, fd, elf));
}

ElfFile::~ElfFile() {
    elf_end(elf_);
    close(fd_);
}

size_t ElfFile::read(uint64_t offset, void* bytes, size_t count) const {
    size_t done = 0;
    while (done < count) {
        const ssize_t more = pread(fd_, static_cast<char*>(bytes) + done, count - done,
                                   static_cast<off_t>(offset + done));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        done += static_cast<size_t>(more);
    }
    return done;
}

std::string ElfFile::build_id() const {
    const void* bytes = nullptr;
    const ssize_t count = dwelf_elf_gnu_build_id(elf_, &bytes);
    return count > 0 ? std::string(static_cast<const char*>(bytes), count) : std::string();
}

uint64_t ElfFile::entry() const {
    GElf_Ehdr header;
    return gelf_getehdr(elf_, &header) != nullptr ? header.e_entry : 0;
}

bool ElfFile::has_section(const char* name) const {
    size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return false;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
        const char* found = elf_strptr(elf_, names, header.sh_name);
        if (found != nullptr && std::strcmp(found, name) == 0) return true;
    }
    return false;
}

std::pair<std::string, uint32_t> ElfFile::debug_link() const {
    GElf_Word checksum = 0;
    const char* name = dwelf_elf_gnu_debuglink(elf_, &checksum);
    if (name == nullptr) return {};
    return {name, checksum};
}

}  // namespace memtrace::analyzer
