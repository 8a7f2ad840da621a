// SPDX-License-Identifier: Apache-2.0
//
// Linker names of C++ and Rust become source names; other names stay unchanged.
#include "analyzer/symbolise/demangle.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("C++ names") {
    CHECK(demangle("_ZN5shape6Circle4drawEi") == "shape::Circle::draw(int)");
    CHECK(demangle("_Znwm") == "operator new(unsigned long)");
    CHECK(demangle("malloc") == "malloc");
    CHECK(demangle("_Zbroken") == "_Zbroken");
    CHECK(demangle("") == "");
}

TEST_CASE("Rust names are recognised by their looks") {
    CHECK(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE") ==
          "core::fmt::Write::write_fmt");
    CHECK(demangle("_RNvNtCs1234_7mycrate3foo3bar") == "mycrate::foo::bar");
}
