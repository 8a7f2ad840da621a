// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr size_t compared_max = 200;  // in characters of a word: the work grows with their square
constexpr size_t characters_of_an_edit = 3;  // A longer word may be mistyped in more places.

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

size_t edits_between(std::string_view a, std::string_view b) {
    a = a.substr(0, compared_max);
    b = b.substr(0, compared_max);
    const auto same = [&](size_t i, size_t j) { return lower(a[i]) == lower(b[j]); };
    std::vector<size_t> older, old(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        older = std::exchange(old, row);
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({old[j] + !same(i, j), row[j] + 1, old[j + 1] + 1});
            if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j)) {
                row[j + 1] = std::min(row[j + 1], older[j - 1] + 1);
            }
        }
    }
    return row.back();
}

std::string meant_word(std::string_view typed, const std::vector<std::string>& words) {
    std::string best;
    size_t fewest = std::max<size_t>(typed.size() / characters_of_an_edit, 1) + 1;
    for (const std::string& word : words) {
        const size_t edits = edits_between(typed, word);
        if (edits >= fewest || edits >= word.size()) continue;
        fewest = edits;
        best = word;
    }
    return best;
}

}  // namespace memtrace::analyzer
