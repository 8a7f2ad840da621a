// SPDX-License-Identifier: Apache-2.0
//
// The nodes and locations that occur in stacks that are to be named. The others need no names.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class UsedNodes {
public:
    // `stacks`: by node; others than 0 are stacks to be named.
    UsedNodes(StackNodes nodes, std::vector<uint8_t> stacks);
    // The stacks of all sites of the model.
    explicit UsedNodes(const Model& model);

    bool has(uint32_t node) const { return uses_[node] != 0; }
    bool has_location(uint32_t location) const { return locations_[location] != 0; }
    // True if the location is the outermost one of some stack.
    bool is_outermost(uint32_t location) const { return (places_[location] & outermost) != 0; }
    // True if the outermost location of some stack calls it.
    bool is_second(uint32_t location) const { return (places_[location] & second) != 0; }

    // Returns 1 for each location that occurs only in stacks with one of `locations`, else 0.
    // `locations` is by location, too.
    std::vector<uint8_t> only_with(const std::vector<uint8_t>& locations) const;

private:
    enum Place : uint8_t { outermost = 1, second = 2 };
    enum Use : uint8_t { stack = 1, caller = 2 };

    StackNodes nodes_;
    std::vector<uint8_t> uses_;       // by node
    std::vector<uint8_t> locations_;  // by location, as is the next
    std::vector<uint8_t> places_;
};

}  // namespace memtrace::analyzer
