// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/line_match.h"

#include <algorithm>

namespace memtrace::analyzer {

namespace {

// The call sites below a line say more than its figures, which are what may have changed.
constexpr double weight_of_sites = 0.7;
constexpr double weight_of_figures = 0.3;
constexpr double least_likeness = 0.2;   // below it two lines of a function are different lines
constexpr size_t table_max = 4'000'000;  // pairs of lines that are compared

double ratio(uint64_t a, uint64_t b) {
    const auto [least, most] = std::minmax(a, b);
    return most == 0 ? 1 : static_cast<double>(least) / static_cast<double>(most);
}

DiffFigures sum_of(const DiffLine& line) {
    DiffFigures sum;
    for (const DiffFigures& figures : line.figures) add(sum, figures);
    return sum;
}

double common_part(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j]) ++common;
        const bool next_a = a[i] <= b[j], next_b = b[j] <= a[i];
        i += next_a;
        j += next_b;
    }
    const size_t all = a.size() + b.size() - common;
    return all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
}

// Generated code can have any number of lines in one function. Then the order alone counts.
std::vector<LinePair> match_by_order(size_t before, size_t after) {
    std::vector<LinePair> pairs;
    for (size_t i = 0; i < std::max(before, after); ++i) {
        pairs.emplace_back(i < before ? std::optional(i) : std::nullopt,
                           i < after ? std::optional(i) : std::nullopt);
    }
    return pairs;
}

}  // namespace

double likeness(const DiffLine& before, const DiffLine& after) {
    const DiffFigures a = sum_of(before), b = sum_of(after);
    const double figures =
        (ratio(a.allocations, b.allocations) + ratio(a.allocated_bytes, b.allocated_bytes)) / 2;
    return weight_of_sites * common_part(before.site_keys, after.site_keys) +
           weight_of_figures * figures;
}

std::vector<LinePair> match_lines(std::span<const DiffLine> before,
                                  std::span<const DiffLine> after) {
    const size_t n = before.size(), m = after.size();
    if (n == 0 || m == 0 || (n == 1 && m == 1) || n * m > table_max) return match_by_order(n, m);
    // best(i, j): the greatest sum of likenesses of the lines from i and from j on.
    std::vector<double> best((n + 1) * (m + 1)), gain(n * m);
    const auto at = [&](size_t i, size_t j) -> double& { return best[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            gain[i * m + j] = likeness(before[i], after[j]) - least_likeness;
            at(i, j) = std::max({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1) + gain[i * m + j]});
        }
    }
    std::vector<LinePair> pairs;
    size_t i = 0, j = 0;
    while (i < n && j < m) {
        if (gain[i * m + j] > 0 && at(i, j) == at(i + 1, j + 1) + gain[i * m + j]) {
            pairs.emplace_back(i++, j++);
        } else if (at(i, j) == at(i + 1, j)) {
            pairs.emplace_back(i++, std::nullopt);
        } else {
            pairs.emplace_back(std::nullopt, j++);
        }
    }
    for (; i < n; ++i) pairs.emplace_back(i, std::nullopt);
    for (; j < m; ++j) pairs.emplace_back(std::nullopt, j);
    return pairs;
}

}  // namespace memtrace::analyzer
