// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/wildcards.h"

#include <optional>

namespace memtrace::analyzer {

namespace {

// `*` stands for any text. `one`, if set, stands for any byte.
bool matches(std::string_view pattern, std::string_view text, std::optional<char> one) {
    constexpr size_t none = std::string_view::npos;
    size_t p = 0, t = 0, star = none, star_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.size() && (pattern[p] == one || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != none) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == none;
}

}  // namespace

bool matches_wildcards(std::string_view pattern, std::string_view text) {
    return matches(pattern, text, '?');
}

bool matches_stars(std::string_view pattern, std::string_view text) {
    return matches(pattern, text, std::nullopt);
}

}  // namespace memtrace::analyzer
