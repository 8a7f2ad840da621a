// SPDX-License-Identifier: Apache-2.0
//
// A set of addresses, as ranges that neither overlap nor touch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "memtrace/dump/lost_request.h"

namespace memtrace::analyzer {

class RangeSet {
public:
    void add(LostRange range) {
        if (range.begin >= range.end) return;
        auto next = ends_.upper_bound(range.begin);
        if (next != ends_.begin()) {
            const auto before = std::prev(next);
            if (before->second >= range.begin) {
                range.begin = before->first;
                range.end = std::max(range.end, before->second);
                next = ends_.erase(before);
            }
        }
        while (next != ends_.end() && next->first <= range.end) {
            range.end = std::max(range.end, next->second);
            next = ends_.erase(next);
        }
        ends_[range.begin] = range.end;
    }

    // Returns the parts of the range that are in the set, or those that are not.
    std::vector<LostRange> common(LostRange range) const { return cut(range, true); }
    std::vector<LostRange> missing(LostRange range) const { return cut(range, false); }

    std::vector<LostRange> ranges() const {
        std::vector<LostRange> result;
        for (const auto& [begin, end] : ends_) result.push_back({begin, end});
        return result;
    }

private:
    std::vector<LostRange> cut(LostRange range, bool inside) const {
        std::vector<LostRange> result;
        const auto keep = [&](uint64_t begin, uint64_t end, bool is_inside) {
            if (begin < end && is_inside == inside) result.push_back({begin, end});
        };
        auto next = ends_.upper_bound(range.begin);
        if (next != ends_.begin()) --next;
        uint64_t at = range.begin;
        for (; next != ends_.end() && next->first < range.end; ++next) {
            if (next->second <= at) continue;
            keep(at, std::max(at, next->first), false);
            keep(std::max(at, next->first), std::min(next->second, range.end), true);
            at = std::min(next->second, range.end);
        }
        keep(at, range.end, false);
        return result;
    }

    std::map<uint64_t, uint64_t> ends_;  // by begin
};

}  // namespace memtrace::analyzer
