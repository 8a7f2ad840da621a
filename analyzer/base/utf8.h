// SPDX-License-Identifier: Apache-2.0
//
// UTF-8, read and written. Names come from other people's programs and may hold any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";  // U+FFFD

// The beginning of a text, up to the next byte at which a character may begin.
struct Utf8Piece {
    size_t bytes = 0;
    bool is_character = false;  // false: not UTF-8
};

// Returns the first piece of `text`, which must not be empty. An incomplete character is one piece,
// up to the first byte that does not belong to it, as the Unicode standard recommends.
Utf8Piece first_piece(std::string_view text);

// True if a terminal obeys this character, or if it changes how the text around it is shown: the
// controls of ASCII and of Unicode (C1), the marks that change the direction of text, and the
// separators of lines and paragraphs. Files that people read must not have them in names.
bool is_control_character(std::string_view character);

// Returns `text` without the mark of UTF-8 (U+FEFF) that some editors put in front.
std::string_view without_utf8_mark(std::string_view text);

// Returns `text` with U+FFFD for each piece that is not a character.
std::string valid_utf8(std::string_view text);

// Appends the character `c`, or U+FFFD if `c` is not a character.
void append_utf8(std::string& out, uint32_t c);

// Returns a string of CPython as UTF-8. Each character of the string takes `kind` bytes. U+FFFD
// replaces numbers that are not characters. Bytes of file names that Python could not decode stay
// as they were.
std::string python_text(std::string_view bytes, unsigned kind);

}  // namespace memtrace::analyzer
