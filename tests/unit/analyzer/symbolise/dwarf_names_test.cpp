// SPDX-License-Identifier: Apache-2.0
//
// Functions that were only ever inlined have no linker name. Their names are made from their
// scopes.
#include "analyzer/symbolise/dwarf_names.h"

#include <dwarf.h>

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Returns the first entry below `die` with this tag and name.
bool find_die(Dwarf_Die die, int tag, const std::string& name, Dwarf_Die& found) {
    do {
        const char* its_name = dwarf_diename(&die);
        if (dwarf_tag(&die) == tag && its_name != nullptr && name == its_name) {
            found = die;
            return true;
        }
        Dwarf_Die child;
        if (dwarf_child(&die, &child) == 0 && find_die(child, tag, name, found)) return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

}  // namespace

TEST_CASE("scopes make a full name, and linker names come as they are") {
    const auto file = ElfFile::open(fixture().module.path);
    Dwarf* dwarf = dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr);
    REQUIRE(dwarf != nullptr);
    Dwarf_CU* unit = nullptr;
    Dwarf_Die root{};
    Dwarf_Die inlined{};
    REQUIRE(dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &root, nullptr) == 0);
    REQUIRE(find_die(root, DW_TAG_inlined_subroutine, "grow", inlined));
    DwarfNames names;
    CHECK(names.name_of(&inlined).text == "grow");  // not announced
    names.want(&inlined);
    names.want(&inlined);
    names.resolve();
    CHECK(names.name_of(&inlined).text == "shapes::(anonymous namespace)::grow");
    CHECK_FALSE(names.name_of(&inlined).mangled);
    Dwarf_Die method{};
    REQUIRE(find_die(root, DW_TAG_subprogram, "draw<int>", method));
    CHECK(names.name_of(&method).text == "_ZN6shapes6Circle4drawIiEEvT_");
    CHECK(names.name_of(&method).mangled);
    dwarf_end(dwarf);
}
