// SPDX-License-Identifier: Apache-2.0
//
// Looks for what the parser of TOML cannot take. It makes a table of each part of a dotted key and
// takes them apart by recursion, so a key of 300,000 parts would need more stack than there is. And
// it takes for granted that some characters beyond ASCII never stand where it looks for white
// space.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace memtrace::analyzer {

// The most parts of a key, and the most brackets in each other. A configuration has four of them.
inline constexpr size_t toml_depth_max = 32;

// Returns the number of the first line with a key of more parts, or with more brackets open, than
// toml_depth_max. Nothing if there is none. The text need not be valid.
std::optional<size_t> too_deep_line(std::string_view toml);

// Returns the number of a line with a character beyond ASCII outside of strings and comments, or
// behind a backslash in a string, where TOML has none. Nothing if there is none. The text need not
// be valid.
std::optional<size_t> beyond_ascii_line(std::string_view toml);

}  // namespace memtrace::analyzer
