// SPDX-License-Identifier: Apache-2.0
#include "preload/base/elf_headers.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

// A file's header, as it would be in memory, and the file with two program headers at `offset`.
class SomeFile {
public:
    explicit SomeFile(uint64_t offset) : bytes_(offset + 2 * sizeof(ElfW(Phdr))) {
        ElfW(Ehdr) elf{};
        std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
        elf.e_phoff = offset;
        elf.e_phnum = 2;
        elf.e_phentsize = sizeof(ElfW(Phdr));
        std::memcpy(bytes_.data(), &elf, sizeof elf);
        ElfW(Phdr) note{};
        note.p_type = PT_NOTE;
        std::memcpy(&bytes_[offset + sizeof note], &note, sizeof note);
        const int file = mkstemp(path_.data());
        REQUIRE(write(file, bytes_.data(), bytes_.size()) == static_cast<ssize_t>(bytes_.size()));
        close(file);
        memory_.assign(bytes_.begin(), bytes_.begin() + std::min<size_t>(bytes_.size(), 4096));
    }
    ~SomeFile() { unlink(path_.c_str()); }
    SomeFile(const SomeFile&) = delete;
    SomeFile& operator=(const SomeFile&) = delete;

    uint64_t base() const { return reinterpret_cast<uint64_t>(memory_.data()); }
    const char* path() const { return path_.c_str(); }
    void change() { memory_[20] = 7; }

private:
    std::vector<char> bytes_;
    std::vector<char> memory_;
    std::string path_ = "/tmp/memtrace-elf-headers-XXXXXX";
};

}  // namespace

TEST_CASE("headers behind the file's header are read in memory") {
    const SomeFile file(64);
    const ElfHeaders headers(file.base(), nullptr);
    REQUIRE(headers.get().size() == 2);
    CHECK(headers.get()[1].p_type == PT_NOTE);
    CHECK(reinterpret_cast<uint64_t>(headers.get().data()) == file.base() + 64);
}

TEST_CASE("headers at the end of a file are read from the file, if it is the same") {
    SomeFile file(100'000);
    const ElfHeaders headers(file.base(), file.path());
    REQUIRE(headers.get().size() == 2);
    CHECK(headers.get()[1].p_type == PT_NOTE);
    CHECK(ElfHeaders(file.base(), nullptr).get().empty());
    CHECK(ElfHeaders(file.base(), "/no/such/file").get().empty());
    file.change();
    CHECK(ElfHeaders(file.base(), file.path()).get().empty());
}

TEST_CASE("what is no ELF file has no headers") {
    const std::vector<char> other(4096, 'x');
    CHECK(ElfHeaders(reinterpret_cast<uint64_t>(other.data()), "/bin/sh").get().empty());
}
