// SPDX-License-Identifier: Apache-2.0
//
// The paths of call sites that may grow together: their frames, outermost first. Hundreds of
// thousands of sites have a few thousand paths, so each path is stored once and has a number. A
// recursion makes a path of each depth, and what lies below it is told apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
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

    // Returns the outermost frames that these paths have in common, and then the innermost ones.
    std::vector<FrameId> common_ends(const std::set<uint32_t>& paths) const {
        const std::span<const FrameId> first = (*this)[*paths.begin()];
        size_t outer = first.size(), inner = first.size(), shortest = first.size();
        for (const uint32_t number : paths) {
            const std::span<const FrameId> path = (*this)[number];
            const auto down =
                std::mismatch(first.begin(), first.begin() + outer, path.begin(), path.end()).first;
            const auto up =
                std::mismatch(first.rbegin(), first.rbegin() + inner, path.rbegin(), path.rend())
                    .first;
            outer = static_cast<size_t>(down - first.begin());
            inner = static_cast<size_t>(up - first.rbegin());
            shortest = std::min(shortest, path.size());
        }
        outer = std::min(outer, shortest - inner);
        std::vector<FrameId> ends(first.begin(), first.begin() + outer);
        ends.insert(ends.end(), first.end() - inner, first.end());
        return ends;
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

// The functions of the user's own code that call themselves, directly or through others.
class Recursion {
public:
    // `own`: by frame, whether it is a line of the user's own code.
    Recursion(const Symbols& symbols, const GrowthPaths& paths, const std::vector<bool>& own)
        : function_of_(own.size()) {
        std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers;
        for (FrameId frame = 0; frame < own.size(); ++frame) {
            if (!own[frame]) continue;
            const Frame& of = symbols.frames[frame];
            const auto next = static_cast<uint32_t>(numbers.size() + 1);
            function_of_[frame] = numbers.try_emplace({of.function, of.file}, next).first->second;
        }
        std::vector<uint32_t> seen_in(numbers.size() + 1, UINT32_MAX);  // by function: the path
        recurs_.resize(numbers.size() + 1);
        for (uint32_t path = 0; path < paths.size(); ++path) {
            for (const FrameId frame : paths[path]) {
                const uint32_t function = function_of_[frame];
                if (function == 0) continue;
                if (seen_in[function] == path) recurs_[function] = true;
                seen_in[function] = path;
            }
        }
    }

    // Returns the innermost line of the user's own code in a path, with what it called, if the path
    // goes through such a function. Otherwise returns nothing.
    std::span<const FrameId> inside(std::span<const FrameId> path) const {
        size_t begin = path.size();
        bool is_in = false;
        for (size_t i = 0; i < path.size(); ++i) {
            if (function_of_[path[i]] == 0) continue;
            begin = i;
            is_in = is_in || recurs_[function_of_[path[i]]];
        }
        return is_in ? path.subspan(begin) : std::span<const FrameId>();
    }

private:
    std::vector<uint32_t> function_of_;  // by frame; 0: not the user's own
    std::vector<bool> recurs_;           // by function
};

}  // namespace memtrace::analyzer
