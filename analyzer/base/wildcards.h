// SPDX-License-Identifier: Apache-2.0
//
// Patterns with wildcards.
#pragma once

#include <string_view>

namespace memtrace::analyzer {

// True if `pattern` matches all of `text`: * stands for any text, ? for any byte.
bool matches_wildcards(std::string_view pattern, std::string_view text);

// The same with * alone. ? stands for itself.
bool matches_stars(std::string_view pattern, std::string_view text);

}  // namespace memtrace::analyzer
