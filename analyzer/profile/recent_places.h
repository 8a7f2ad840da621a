// SPDX-License-Identifier: Apache-2.0
//
// Predicts the place of a node from the place of its parent: a function calls few others, and often
// the same again. So most nodes need one small number (profile.proto, Tree).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtrace::analyzer {

class RecentPlaces {
public:
    static constexpr uint32_t count = 8;

    // List 0 is that of the roots, list p + 1 that of the place p.
    explicit RecentPlaces(size_t lists) : lists_(lists) {}

    // Returns the index of the place in its list, or `count`. The place becomes the first of it.
    uint32_t take(size_t list, uint32_t place) {
        List& recent = lists_[list];
        const auto at = std::find(recent.begin(), recent.end(), place + 1);
        const auto found = static_cast<uint32_t>(at - recent.begin());
        move_to_front(recent, std::min(found, count - 1), place + 1);
        return found;
    }

    // Returns the place at an index, or nothing if the list is shorter. It becomes the first.
    std::optional<uint32_t> at(size_t list, uint32_t index) {
        List& recent = lists_[list];
        const uint32_t place = recent[index];
        if (place == 0) return std::nullopt;
        move_to_front(recent, index, place);
        return place - 1;
    }

private:
    using List = std::array<uint32_t, count>;  // places plus 1; 0: none yet

    static void move_to_front(List& recent, uint32_t index, uint32_t place) {
        std::copy_backward(recent.begin(), recent.begin() + index, recent.begin() + index + 1);
        recent[0] = place;
    }

    std::vector<List> lists_;
};

}  // namespace memtrace::analyzer
