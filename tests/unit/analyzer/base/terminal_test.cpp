// SPDX-License-Identifier: Apache-2.0
//
// Widths of text, and text made harmless for a terminal.
#include "analyzer/base/terminal.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("text is as wide as its characters, not its bytes") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("gr\xc3\xbc\xc3\x9f") == 4);
    CHECK(cut_to_width("gr\xc3\xbc\xc3\x9f", 3) == "gr\xc3\xbc");
}

TEST_CASE("wide characters take two columns, as fmt::format counts when it pads") {
    const std::string wide = "\xe6\x97\xa5\xe6\x9c\xac";
    CHECK(display_width(wide) == 4);
    CHECK(display_width("a" + wide + "\xf0\x9f\x98\x80") == 7);
    CHECK(display_width("") == 0);
    CHECK(fmt::format("{:>5}", wide) == " " + wide);
    CHECK(cut_to_width(wide, 4) == wide);
    CHECK(cut_to_width(wide, 3) == wide.substr(0, 3));
    CHECK(cut_to_width(wide, 1).empty());
}

TEST_CASE("control characters and broken UTF-8 become question marks") {
    CHECK(printable("plain, gr\xc3\xbc\xc3\x9f") == "plain, gr\xc3\xbc\xc3\x9f");
    CHECK(printable("a\033[31mb\r\n\t\x7f") == "a?[31mb????");
    CHECK(printable("\xc2\x9b"
                    "31m") == "?31m");  // the control character CSI in UTF-8
    CHECK(printable("\xff\xc3") == "??");
    CHECK(printable("\xc0\xaf") == "??");       // overlong
    CHECK(printable("\xed\xa0\x80") == "???");  // a surrogate
    CHECK(printable("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
}

TEST_CASE("$COLUMNS decides the width, within reason") {
    const char* before = std::getenv("COLUMNS");
    const std::string kept = before != nullptr ? before : "";
    setenv("COLUMNS", "132", 1);
    CHECK(terminal_width(-1) == 132);
    setenv("COLUMNS", "1", 1);
    CHECK(terminal_width(-1) == 40);
    setenv("COLUMNS", "wide", 1);
    CHECK(terminal_width(-1) == 100);
    unsetenv("COLUMNS");
    CHECK(terminal_width(-1) == 100);
    if (before != nullptr) setenv("COLUMNS", kept.c_str(), 1);
}

TEST_CASE("what turns the direction of text, or ends a line, becomes a question mark") {
    for (const char* turning :
         {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c", "\u202d",
          "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u0085", "\u009f"}) {
        CHECK(printable(std::string("a") + turning + "b") == "a?b");
    }
    for (const char* plain : {"\u00a0", "\u05d0", "\u0627", "\u2014", "\u2070", "\u202f"}) {
        CHECK(printable(plain) == plain);
    }
}

TEST_CASE("no line is a command of a CI system") {
    CHECK(without_commands("::error::x\n") == ": :error::x\n");
    CHECK(without_commands("  ::add-mask::x") == "  : :add-mask::x");
    CHECK(without_commands("a\n\t::stop-commands::x") == "a\n\t: :stop-commands::x");
    CHECK(without_commands("a\r::error::x") == "a\r: :error::x");
    CHECK(without_commands("\u00a0\u3000::error::x") == "\u00a0\u3000: :error::x");
    CHECK(without_commands("text ##[error]x") == "text ## [error]x");
    CHECK(without_commands("###[error]x") == "### [error]x");
    CHECK(without_commands("##vso[task.setvariable]x") == "##vso [task.setvariable]x");
    CHECK(without_commands("##teamcity[message]") == "##teamcity [message]");
}

TEST_CASE("all other text stays as it is, in whatever pieces it comes") {
    const std::string text =
        "std::vector<a::b>::f\n  2.0 MiB  ::main\n:: \n#[derive]\n##x[1]\nx::y\n  : :\n\033[1m# "
        "#\n";
    std::string whole = text;
    whole.replace(whole.find("\n:: \n"), 5, "\n: : \n");
    CHECK(without_commands(text) == whole);
    LineGuard guard;
    std::string pieces;
    for (const char c : text) pieces += guard.pass(std::string(1, c));
    CHECK(pieces == whole);
}
