// SPDX-License-Identifier: Apache-2.0
//
// Widths of text, and text made harmless for a terminal.
#include "analyzer/base/terminal.h"

#include <fmt/format.h>

#include <cstdlib>

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
