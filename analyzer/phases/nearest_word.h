// SPDX-License-Identifier: Apache-2.0
//
// Guesses what was meant by a word that was mistyped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memtrace::analyzer {

// Returns how many characters must be inserted, removed, replaced, or swapped with the next one,
// to make `b` of `a`. Capital letters count as small ones.
size_t edits_between(std::string_view a, std::string_view b);

// Returns the word that was probably meant, or an empty string: none is near enough.
std::string meant_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace memtrace::analyzer
