// SPDX-License-Identifier: Apache-2.0
//
// Bounds the nesting of a TOML text before it is parsed. The parser makes a table of each part of a
// dotted key and takes them apart by recursion, so a key of 300,000 parts would need more stack
// than there is.
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

}  // namespace memtrace::analyzer
