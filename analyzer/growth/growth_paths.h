// SPDX-License-Identifier: Apache-2.0
//
// The paths of call sites that may grow together: their frames, outermost first. Hundreds of
// thousands of sites have a few thousand paths, so each path is stored once and has a number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class GrowthPaths {
public:
    size_t size() const { return ends_.size(); }
    std::span<const FrameId> operator[](uint32_t path) const {
        const size_t begin = path == 0 ? 0 : ends_[path - 1];
        return std::span(frames_).subspan(begin, ends_[path] - begin);
    }

    // Returns the number of the path, and adds the path if it is new.
    uint32_t add(std::span<const FrameId> path) {
        uint64_t hash = path.size();
        for (const FrameId frame : path) hash = NumberHash{}(hash + frame + 1);
        const auto next = static_cast<uint32_t>(ends_.size());
        // Two paths may have the same hash.
        for (;; ++hash) {
            const auto [known, is_new] = numbers_.try_emplace(hash, next);
            if (is_new) break;
            if (std::ranges::equal((*this)[known->second], path)) return known->second;
        }
        frames_.insert(frames_.end(), path.begin(), path.end());
        ends_.push_back(frames_.size());
        return next;
    }

    // Returns for each path its place in the order of their frames.
    std::vector<uint32_t> places() const {
        std::vector<uint32_t> order(size());
        for (uint32_t path = 0; path < size(); ++path) order[path] = path;
        std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
            return std::ranges::lexicographical_compare((*this)[a], (*this)[b]);
        });
        std::vector<uint32_t> places(size());
        for (uint32_t place = 0; place < size(); ++place) places[order[place]] = place;
        return places;
    }

private:
    std::vector<FrameId> frames_;                             // of all paths, one after another
    std::vector<size_t> ends_;                                // by path: where its frames end
    tsl::robin_map<uint64_t, uint32_t, NumberHash> numbers_;  // by hash
};

}  // namespace memtrace::analyzer
