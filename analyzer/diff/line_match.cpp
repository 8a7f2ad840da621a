// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/line_match.h"

#include <algorithm>
#include <map>
#include <set>

namespace memtrace::analyzer {

namespace {

// The call sites below a line say more than its figures, which are what may have changed.
constexpr double weight_of_sites = 0.7;
constexpr double weight_of_figures = 0.3;
constexpr double least_likeness = 0.2;   // below it two lines of a function are different lines
constexpr size_t table_max = 4'000'000;  // pairs of lines that are compared

double ratio(double a, double b) {
    const auto [least, most] = std::minmax(a, b);
    return most == 0 ? 1 : least / most;
}

// Returns how much alike the figures are. An edit changes how often a line runs rather than what it
// asks for, so the size of a block counts as much as the sums.
double common_figures(const DiffFigures& before, const DiffFigures& after) {
    struct Takes {
        double calls, bytes, each;
    };
    const auto takes = [](const DiffFigures& figures) {
        const auto calls = static_cast<double>(figures.allocations);
        const auto bytes = static_cast<double>(figures.allocated_bytes);
        return Takes{calls, bytes, calls == 0 ? 0 : bytes / calls};
    };
    const Takes a = takes(before), b = takes(after);
    return (2 * ratio(a.each, b.each) + ratio(a.calls, b.calls) + ratio(a.bytes, b.bytes)) / 4;
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

struct SameCode {
    std::vector<LinePair> pairs;
    // Indices of the other lines: only one recording has their code, or it is not known.
    std::vector<size_t> before, after;
};

// The same place in code that both recordings have is the same line.
SameCode match_same_code(std::span<const DiffLine> before, std::span<const DiffLine> after) {
    const auto codes_of = [](std::span<const DiffLine> lines) {
        std::set<uint64_t> codes;
        for (const DiffLine& line : lines) codes.insert(line.place.code);
        codes.erase(0);
        return codes;
    };
    const std::set<uint64_t> of_before = codes_of(before), of_after = codes_of(after);
    SameCode same;
    std::multimap<LinePlace, size_t> places;  // of `after`
    for (size_t j = 0; j < after.size(); ++j) {
        if (of_before.contains(after[j].place.code)) places.emplace(after[j].place, j);
        else same.after.push_back(j);
    }
    for (size_t i = 0; i < before.size(); ++i) {
        if (!of_after.contains(before[i].place.code)) {
            same.before.push_back(i);
            continue;
        }
        const auto found = places.find(before[i].place);
        const bool is_there = found != places.end();
        same.pairs.emplace_back(i, is_there ? std::optional(found->second) : std::nullopt);
        if (is_there) places.erase(found);
    }
    for (const auto& [place, j] : places) same.pairs.emplace_back(std::nullopt, j);
    return same;
}

using Lines = std::vector<const DiffLine*>;

std::vector<LinePair> match_by_likeness(const Lines& before, const Lines& after) {
    const size_t n = before.size(), m = after.size();
    if (n == 0 || m == 0 || (n == 1 && m == 1) || n * m > table_max) return match_by_order(n, m);
    // best(i, j): the greatest sum of likenesses of the lines from i and from j on.
    std::vector<double> best((n + 1) * (m + 1)), gain(n * m);
    const auto at = [&](size_t i, size_t j) -> double& { return best[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            gain[i * m + j] = likeness(*before[i], *after[j]) - least_likeness;
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

}  // namespace

double likeness(const DiffLine& before, const DiffLine& after) {
    return weight_of_sites * common_part(before.site_keys, after.site_keys) +
           weight_of_figures * common_figures(sum_of(before), sum_of(after));
}

std::vector<LinePair> match_lines(std::span<const DiffLine> before,
                                  std::span<const DiffLine> after) {
    SameCode same = match_same_code(before, after);
    const auto index = [](std::optional<size_t> at, const std::vector<size_t>& others) {
        return at ? std::optional(others[*at]) : std::nullopt;
    };
    const auto of = [](std::span<const DiffLine> lines, const std::vector<size_t>& others) {
        Lines picked;
        for (const size_t i : others) picked.push_back(&lines[i]);
        return picked;
    };
    for (const auto& [i, j] : match_by_likeness(of(before, same.before), of(after, same.after))) {
        same.pairs.emplace_back(index(i, same.before), index(j, same.after));
    }
    return same.pairs;
}

}  // namespace memtrace::analyzer
