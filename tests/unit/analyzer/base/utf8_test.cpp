// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 text stays unchanged; anything else is split into pieces.
#include "analyzer/base/utf8.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace std::string_literals;

namespace {

// Returns for example "3 1! 1" for pieces of 3, 1 and 1 bytes, the second of which is not UTF-8.
std::string pieces_of(std::string_view text) {
    std::string all;
    while (!text.empty()) {
        const auto [bytes, is_character] = first_piece(text);
        all += (all.empty() ? "" : " ") + std::to_string(bytes) + (is_character ? "" : "!");
        text.remove_prefix(bytes);
    }
    return all;
}

}  // namespace

TEST_CASE("characters of one to four bytes") {
    CHECK(pieces_of("a\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80") == "1 2 3 4");
    CHECK(pieces_of("\0\x7f"s) == "1 1");
}

TEST_CASE("a character that breaks off is one piece up to the byte that does not belong to it") {
    CHECK(pieces_of("\xe6\x97"
                    "a") == "2! 1");
    CHECK(pieces_of("\xf0\x9f\x98") == "3!");
    CHECK(pieces_of("\xc3\xc3\xbc") == "1! 2");
}

TEST_CASE("overlong forms, surrogates and what lies beyond Unicode are no characters") {
    CHECK(pieces_of("\x80\xff") == "1! 1!");
    CHECK(pieces_of("\xc0\xaf") == "1! 1!");
    CHECK(pieces_of("\xe0\x9f\xbf") == "1! 1! 1!");
    CHECK(pieces_of("\xed\xa0\x80") == "1! 1! 1!");
    CHECK(pieces_of("\xf0\x8f\xbf\xbf") == "1! 1! 1! 1!");
    CHECK(pieces_of("\xf4\x90\x80\x80") == "1! 1! 1! 1!");
    CHECK(pieces_of("\xf5\x80") == "1! 1!");
}

TEST_CASE("one U+FFFD stands for each piece that is no character") {
    CHECK(valid_utf8("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
    CHECK(valid_utf8("a\xe9z") == "a\ufffdz");
    CHECK(valid_utf8("\xe6\x97\xff") == "\ufffd\ufffd");
    CHECK(valid_utf8("") == "");
}

TEST_CASE("characters are written in one to four bytes, and what is none as U+FFFD") {
    std::string text;
    for (const uint32_t c : {0x61u, 0xfcu, 0x65e5u, 0x1f600u, 0xd800u, 0x110000u}) {
        append_utf8(text, c);
    }
    CHECK(text == "a\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80\ufffd\ufffd");
}

TEST_CASE("names become UTF-8 from one, two or four bytes a character") {
    CHECK(python_text("train_step", 1) == "train_step");
    CHECK(python_text("gr\xf6\xdf\x65", 1) == "größe");
    CHECK(python_text("\x44\x04\x43\x04\x3d\x04_\0"s, 2) == "фун_");
    CHECK(python_text("\x30\x03\x01\x00\x61\x00\x00\x00"s, 4) ==
          "\U00010330"
          "a");
    CHECK(python_text("", 2).empty());
}

TEST_CASE("what is no character does not get through; bytes of file names do") {
    CHECK(python_text("\x00\xd8\x61\x00"s, 2) ==
          "\ufffd"
          "a");
    CHECK(python_text("\x00\x00\x11\x00"s, 4) == "\ufffd");
    CHECK(python_text("\xff\xff\xff\xff", 4) == "\ufffd");
    CHECK(python_text("\x61\x00\xe9\xdc"s, 2) == "a\xe9");  // os.fsdecode(b"a\xe9")
    CHECK(python_text("\x61\x00\x62"s, 2) == "a");          // half a character is dropped
    CHECK(python_text("ab", 3) == "ab");                    // no such kind
}
