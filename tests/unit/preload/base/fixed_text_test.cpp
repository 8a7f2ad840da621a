// SPDX-License-Identifier: Apache-2.0
#include "preload/base/fixed_text.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("text and numbers follow one another", "[text]") {
    FixedText<64> text("pid ");
    text << 4711 << ", " << uint64_t{18446744073709551615u} << ", " << -3;
    CHECK(text.view() == "pid 4711, 18446744073709551615, -3");
    CHECK_FALSE(text.was_cut());
}

TEST_CASE("text that does not fit is cut and says so", "[text]") {
    FixedText<8> text("abcdefghij");
    CHECK(text.view() == "abcdefg");
    CHECK(text.was_cut());
    CHECK(text.c_str()[7] == 0);
}

TEST_CASE("a number is digits and nothing else", "[text]") {
    uint64_t value = 7;
    CHECK(parse_number("120", value));
    CHECK(value == 120);
    for (const char* wrong : {"", "-1", "1k", " 1", "99999999999999999999"}) {
        INFO(wrong);
        CHECK_FALSE(parse_number(wrong, value));
    }
    CHECK(value == 120);
}
