// SPDX-License-Identifier: Apache-2.0
//
// Linker names of C++ and Rust become source names; other names stay unchanged.
#include "analyzer/symbolise/demangle.h"
#include <string>
#include <string_view>

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

namespace {

// S_, S0_, … S9_, SA_, … SZ_, S10_
std::string reference(int number) {
    static constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (number == 0) return "S_";
    std::string text;
    int value = number - 1;
    do {
        text.insert(text.begin(), digits[static_cast<size_t>(value % 36)]);
        value /= 36;
    } while (value > 0);
    return "S" + text + "_";
}

// Each level is twice as long as the one before: b<X, X>, where X is the level before.
std::string templates(int levels) {
    std::string name = "_Z1f1a1bIS_S_E";
    for (int i = 0; i < levels; ++i) {
        name += "S0_I" + reference(i + 2) + reference(i + 2) + "E";
    }
    return name;
}

// The same of pointers to functions.
std::string pointers(int levels) {
    std::string name = "_Z1f1a";
    for (int i = 0; i < levels; ++i) {
        name += "PFv" + reference(2 * i) + reference(2 * i) + "E";
    }
    return name;
}

// The same inside the expansion of a pack, in which the demangler searches before it prints.
std::string packs(int levels) {
    std::string type = "PFv1aS_E";
    for (int i = 0; i < levels; ++i) type = "PFv" + type + reference(2 + 2 * i) + "E";
    return "_Z1fDp" + type;
}

}  // namespace

TEST_CASE("a name that would be longer than anyone can read stays as it is", "[demangle]") {
    for (const auto& make : {templates, pointers, packs}) {
        bool is_too_long = true;
        CHECK(demangle(make(3), &is_too_long) != make(3));
        CHECK_FALSE(is_too_long);
        for (const int levels : {30, 50}) {
            CHECK(demangle(make(levels), &is_too_long) == make(levels));
            CHECK(is_too_long);
        }
        // These are nested deeper than the demangler reads.
        for (const int levels : {200, 2000}) CHECK(demangle(make(levels)) == make(levels));
    }
    CHECK(demangle("_Z" + std::string(100'000, '1')).size() == 100'002);
    CHECK(demangle(templates(3)).starts_with("f(a, b<a, a>, b<b<a, a>, b<a, a> >, b<b<b<a, a>, "));
}

TEST_CASE("a long name with many references that is readable is read", "[demangle]") {
    std::string name = "_Z1f3abc";
    for (int i = 0; i < 20; ++i) name += "S_";
    std::string expected = "f(abc";
    for (int i = 0; i < 20; ++i) expected += ", abc";
    CHECK(demangle(name) == expected + ")");
}
