// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/unwind_tables.h"

#include <stdlib.h>

#include <vector>

#include "preload/unwind/unwind_rule.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;

// Functions of one instruction each: with a frame of 48 bytes, with an entry that remembers too
// many rows, and without an entry.
asm(R"(
    .text
memtrace_test_plain_code:
    .cfi_startproc
    .cfi_def_cfa_offset 48
    nop
    .cfi_endproc
memtrace_test_strange_code:
    .cfi_startproc
    .cfi_escape 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a
    nop
    .cfi_endproc
memtrace_test_bare_code:
    nop
)");
extern "C" const char memtrace_test_plain_code[];
extern "C" const char memtrace_test_strange_code[];
extern "C" const char memtrace_test_bare_code[];

namespace {

uint64_t address_of(const void* code) { return reinterpret_cast<uint64_t>(code); }

struct Search {
    UnwindRow row;
    RowWorkspace workspace;
    RowSearch at(const void* code) { return find_unwind_row(address_of(code), row, workspace); }
};

}  // namespace

TEST_CASE("the row of code in this program is found", "[unwind_tables]") {
    Search search;
    REQUIRE(search.at(memtrace_test_plain_code) == RowSearch::found);
    CHECK(search.row.cfa_register == register_rsp);
    CHECK(search.row.cfa_offset == 48);
    CHECK(search.row.registers[register_return].kind == RegisterRule::at_offset);
    CHECK(search.row.registers[register_return].offset == -8);
}

TEST_CASE("the row of code in a library is found", "[unwind_tables]") {
    Search search;
    REQUIRE(search.at(reinterpret_cast<const void*>(&::qsort)) == RowSearch::found);
    // At its first instruction, only the return address is on the stack.
    CHECK(reduce(search.row) == UnwindRule(StepKind::sp_keep, 8));
}

TEST_CASE("code that nothing is said about has no data", "[unwind_tables]") {
    Search search;
    CHECK(search.at(memtrace_test_bare_code) == RowSearch::no_data);
    CHECK(search.at(nullptr) == RowSearch::no_data);
    const std::vector<char> on_the_heap(16);
    CHECK(search.at(&search) == RowSearch::no_data);
    CHECK(search.at(on_the_heap.data()) == RowSearch::no_data);
}

TEST_CASE("an entry that cannot be read is told from one that is not there", "[unwind_tables]") {
    Search search;
    CHECK(search.at(memtrace_test_strange_code) == RowSearch::not_understood);
}

TEST_CASE("a function begins at its first byte, and only there", "[unwind_tables]") {
    const uint64_t begin = address_of(reinterpret_cast<const void*>(&::qsort));
    CHECK(begins_function(begin));
    CHECK_FALSE(begins_function(begin + 1));
    CHECK_FALSE(begins_function(address_of(memtrace_test_bare_code)));
}

TEST_CASE("what is in a loaded object is known code", "[unwind_tables]") {
    const int on_the_stack = 0;
    CHECK(is_known_code(address_of(memtrace_test_bare_code)));
    CHECK(is_known_code(address_of(reinterpret_cast<const void*>(&::qsort))));
    CHECK_FALSE(is_known_code(address_of(&on_the_stack)));
    CHECK_FALSE(is_known_code(0));
}
