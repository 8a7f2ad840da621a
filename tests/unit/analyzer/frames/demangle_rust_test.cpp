// SPDX-License-Identifier: Apache-2.0
//
// Both manglings of Rust become paths. Broken names stay unchanged.
#include "analyzer/frames/demangle_rust.h"
#include "analyzer/symbolise/demangle.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("old Rust names lose their hash and get their signs") {
    CHECK(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE") ==
          "core::fmt::Write::write_fmt");
    CHECK(demangle("_ZN67_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..clone..Clone$GT$5clone"
                   "17h0123456789abcdefE") ==
          "<alloc::vec::Vec<T,A> as core::clone::Clone>::clone");
}

TEST_CASE("new Rust names") {
    CHECK(demangle("_RNvNtCs1234_7mycrate3foo3bar") == "mycrate::foo::bar");
    CHECK(demangle("_RINvNtC3std3mem8align_ofjdE") == "std::mem::align_of::<usize, f64>");
    CHECK(demangle("_RNCNvC7mycrate4main0B3_") == "mycrate::main::{closure#0}");
    CHECK(demangle("_RNvMC7mycrateNtB2_3Foo3new") == "<mycrate::Foo>::new");
    CHECK(demangle("_RNvXC7mycrateNtB2_3FooNtB2_5Trait3run") ==
          "<mycrate::Foo as mycrate::Trait>::run");
    CHECK(demangle("_RINvC7mycrate3fooAhj8_E") == "mycrate::foo::<[u8; 8]>");
    CHECK(demangle("_RINvC7mycrate3fooFEuE") == "mycrate::foo::<fn()>");
}

TEST_CASE("broken Rust names stay, and cost no time") {
    for (const char* name : {"_R", "_RNvC", "_RNvNtCs1234_7mycrate3foo9999bar", "_RB_", "_RINvB0_E",
                             "_RNvMB_", "_RNvC7mycrate"}) {
        INFO(name);
        CHECK(demangle(name) == name);
    }
    CHECK(demangle("_R" + std::string(100'000, 'N')).size() > 1000);
    CHECK(demangle("_RYS" + std::string(10'000, 'S')).size() > 1000);
}

// Each tuple refers back to the one before it twice, so the type doubles with each of them.
static std::string doubling_name(int times) {
    static constexpr std::string_view digits =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string text = "INvC1a1b";
    size_t last = text.size();
    text += "TuuE";
    for (int i = 0; i < times; ++i) {
        const size_t here = text.size();
        std::string reference = "B";
        if (last > 62) reference += digits[(last - 1) / 62];
        reference += digits[(last - 1) % 62];
        text += "T" + reference + "_" + reference + "_E";
        last = here;
    }
    return "_R" + text + "E";
}

TEST_CASE("Rust names of a few bytes that stand for gigabytes stay, and cost no time") {
    CHECK(demangle(doubling_name(2)) ==
          "a::b::<((), ()), (((), ()), ((), ())), ((((), ()), ((), ())), (((), ()), ((), ())))>");
    CHECK(demangle(doubling_name(60)) == doubling_name(60));
    // A function with 62^10 lifetimes, in a shown and in a hidden place.
    CHECK(demangle("_RIC1aFGzzzzzzzzzz_EuE") == "a::<fn()>");
    CHECK(demangle("_RMIC1aFGzzzzzzzzzz_EuEu") == "<()>");
}
