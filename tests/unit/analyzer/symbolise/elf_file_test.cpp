// SPDX-License-Identifier: Apache-2.0
//
// ELF files are opened; all others are refused without a message.
#include "analyzer/symbolise/elf_file.h"
#include "analyzer/base/paths.h"

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a library says who it is and what it has") {
    const auto file = ElfFile::open(fixture_folder + "/libfixture.so");
    REQUIRE(file != nullptr);
    CHECK(file->build_id().size() == 20);
    CHECK(hex(file->build_id()).size() == 40);
    CHECK(file->has_section(".debug_info"));
    CHECK_FALSE(file->has_section(".no_such_section"));
    CHECK(file->debug_link().first.empty());
}

TEST_CASE("a stripped library says where its debug file is") {
    const auto file = ElfFile::open(fixture_folder + "/stripped/libfixture.so");
    REQUIRE(file != nullptr);
    CHECK_FALSE(file->has_section(".debug_info"));
    CHECK(file->debug_link().first == "libfixture.so.debug");
    CHECK(file->build_id() == fixture().module.build_id);
}

TEST_CASE("programs have an entry point") {
    const auto file = ElfFile::open("/proc/self/exe");
    REQUIRE(file != nullptr);
    CHECK(file->entry() != 0);
}

TEST_CASE("what is no ELF file is not opened") {
    const Folder place;
    std::ofstream(place.path / "text") << "no ELF file";
    std::ofstream(place.path / "empty").flush();
    std::ofstream(place.path / "magic") << "\177ELF";
    for (const char* name : {"text", "empty", "missing", "."}) {
        INFO(name);
        CHECK(ElfFile::open(place.path / name) == nullptr);
    }
    // Reading from a cut file may return anything but must not crash.
    if (const auto file = ElfFile::open(place.path / "magic"); file != nullptr) {
        CHECK(file->build_id().empty());
        CHECK_FALSE(file->has_section(".text"));
    }
}
