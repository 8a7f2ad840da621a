// SPDX-License-Identifier: Apache-2.0
//
// Keeps from the parser of TOML what it cannot take. It makes a table of each part of a dotted key
// and takes them apart by recursion, so a key of 300,000 parts would need more stack than there is.
// And wherever it looks for white space, it takes for granted that some characters beyond ASCII do
// not stand there: what the program does otherwise is undefined. So it gets none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

// The most parts of a key, and the most brackets in each other. A configuration has four of them.
inline constexpr size_t toml_depth_max = 32;

// Returns the number of the first line with a key of more parts, or with more brackets open, than
// toml_depth_max. Nothing if there is none. The text need not be valid.
std::optional<size_t> too_deep_line(std::string_view toml);

// Returns the number of a line with a character beyond ASCII outside of strings and comments, where
// TOML has none. Nothing if there is none. The text need not be valid.
std::optional<size_t> beyond_ascii_line(std::string_view toml);

// Stands before two hexadecimal digits. It is no character of TOML outside of strings and comments.
inline constexpr char toml_byte_mark = '~';

// Returns the text with each byte beyond ASCII, and each mark, as ~HH. A parser that takes them as
// characters of strings and comments finds the same keys and values.
std::string ascii_toml(std::string_view toml);

// Returns what a key, a value or a message of the parser was in the text itself.
std::string text_of_ascii_toml(std::string_view ascii);

}  // namespace memtrace::analyzer
