// SPDX-License-Identifier: Apache-2.0
//
// Functions by symbol table, only at addresses that a symbol covers.
#include "analyzer/symbolise/elf_symbols.h"

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string symbol_at(const std::string& path, uint64_t address) {
    const auto file = ElfFile::open(path);
    std::vector<SymbolHit> hits(1);
    find_symbols(*file, std::vector{address}, hits);
    return std::string(hits[0].name);
}

const std::string whole = fixture_folder + "/libfixture.so";
const std::string stripped = fixture_folder + "/stripped/libfixture.so";

}  // namespace

TEST_CASE("an address inside of a function has its name") {
    CHECK(symbol_at(whole, fixture().in_file(2)) == "fixture_run");
    CHECK_THAT(symbol_at(whole, fixture().in_file(0)),
               Catch::Matchers::StartsWith("_ZN6shapes6Circle4drawIiEEvT_"));
}

TEST_CASE("an assembler symbol without a size covers what follows it, but nothing else") {
    const uint64_t bare = fixture().bare - fixture().module.bias;
    CHECK(symbol_at(whole, bare) == "fixture_bare");
    CHECK(symbol_at(whole, bare + 2) == "fixture_bare");
    CHECK(symbol_at(whole, 1) == "");  // the ELF header is not a function
    CHECK(symbol_at(whole, 0) == "");
    CHECK(symbol_at(whole, UINT64_MAX) == "");
}

TEST_CASE("a stripped library knows what it exports, and guesses nothing") {
    CHECK(symbol_at(stripped, fixture().in_file(2)) == "fixture_run");
    CHECK(symbol_at(stripped, fixture().in_file(1)) == "");
}

TEST_CASE("of many names for one function the plainest is taken; many addresses cost one pass") {
    const uint64_t bias = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(&::free), &info);
        return reinterpret_cast<uint64_t>(info.dli_fbase);
    }();
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&::getpid), &info);
    const uint64_t address =
        reinterpret_cast<uint64_t>(info.dli_saddr) - reinterpret_cast<uint64_t>(info.dli_fbase);
    if (std::string(info.dli_fname).find("libc.so") == std::string::npos) return;
    CHECK(bias != 0);
    CHECK(symbol_at(info.dli_fname, address) == "getpid");  // not __getpid
    std::vector<uint64_t> many;
    for (uint64_t at = 0; at < 1'500'000; at += 64) many.push_back(at);
    std::vector<SymbolHit> hits(many.size());
    const auto file = ElfFile::open(info.dli_fname);
    find_symbols(*file, many, hits);
    size_t named = 0, alike = 0;
    for (size_t i = 0; i < many.size(); i += 97) {
        alike += hits[i].name == symbol_at(info.dli_fname, many[i]);
    }
    CHECK(alike == (many.size() + 96) / 97);  // many addresses at once, or each alone
    for (const SymbolHit& hit : hits) named += hit.name.empty() ? 0 : 1;
    CHECK(named > 1000);
}

TEST_CASE("names that are known already stay") {
    const auto file = ElfFile::open(whole);
    std::vector<SymbolHit> hits{{"known", 1}};
    find_symbols(*file, std::vector{fixture().in_file(2)}, hits);
    CHECK(hits[0].name == "known");
}

TEST_CASE("an object's class has the name of its vtable, in a stripped library too") {
    void* library = dlopen(fixture().module.path.c_str(), RTLD_NOW);
    REQUIRE(library != nullptr);
    uint64_t vtable = 0;
    std::memcpy(&vtable, dlsym(library, "fixture_square"), sizeof vtable);
    for (const std::string& path : {whole, stripped}) {
        std::vector<SymbolHit> hits(2);
        const uint64_t address = vtable - fixture().module.bias;
        const auto file = ElfFile::open(path);
        find_objects(*file, std::vector{address, address + 4096}, hits);
        CHECK(hits[0].name == "_ZTVN6shapes6SquareE");
        CHECK(hits[1].name == "");
        CHECK(symbol_at(path, address) == "");  // It is not a function.
    }
}
