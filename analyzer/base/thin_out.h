// SPDX-License-Identifier: Apache-2.0
//
// Lists of measurements that grow as long as a program runs. When one is too long, of every four
// measurements in a row the lowest and the highest stay:
//
//   3 5 4 9  8 7 8 8  2 1 6 1          the course keeps its floor and its tops, and what was
//   3     9    7 8      1 6            measured lately is closer together than what is old
//
// Measurements of different kinds are as many lists.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

namespace memtrace::analyzer {

// The first and the last measurement of all stay, too. `kind` and `value` are called with one.
template <class Measured, class Kind, class Value>
void thin_out(std::vector<Measured>& list, Kind&& kind, Value&& value) {
    constexpr size_t in_a_row = 4;
    struct Row {
        std::array<size_t, in_a_row> at;
        size_t count = 0;
    };
    using Kinds = std::decay_t<decltype(kind(list[0]))>;
    std::map<Kinds, Row> rows;
    std::vector<bool> stays(list.size(), true);
    for (size_t i = 1; i + 1 < list.size(); ++i) {
        Row& row = rows[kind(list[i])];
        row.at[row.count++] = i;
        if (row.count != in_a_row) continue;
        row.count = 0;
        const auto lower = [&](size_t a, size_t b) { return value(list[a]) < value(list[b]); };
        const auto [lowest, highest] = std::minmax_element(row.at.begin(), row.at.end(), lower);
        for (const size_t at : row.at) stays[at] = at == *lowest || at == *highest;
    }
    size_t kept = 0;
    for (size_t i = 0; i < list.size(); ++i) {
        if (stays[i]) list[kept++] = list[i];
    }
    list.resize(kept);
}

}  // namespace memtrace::analyzer
