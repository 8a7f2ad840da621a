// SPDX-License-Identifier: Apache-2.0
//
// Bytes by the line of the program that made them, and what of each round stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace memtrace::analyzer {

struct SumOfLines {
    uint64_t bytes = 0;
    std::map<uint32_t, uint64_t> bytes_of;  // by row of SiteRows

    // The row with most bytes. There must be one.
    uint32_t largest() const {
        return std::max_element(bytes_of.begin(), bytes_of.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }
};

// What of each round is still there some rounds later.
struct KeptOfRounds : SumOfLines {
    std::set<size_t> rounds;
    uint64_t at_peak = 0;  // bytes

    uint64_t each() const { return rounds.empty() ? 0 : bytes / rounds.size(); }
};

}  // namespace memtrace::analyzer
