// SPDX-License-Identifier: Apache-2.0
//
// A hash for keys that are numbers. robin_map takes the low bits of a hash for the place, and
// std::hash leaves numbers as they are: keys that are alike below (addresses; a number in the upper
// half and a frequent one in the lower) would stand in each other's way until the map grows without
// end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::analyzer {

struct NumberHash {
    size_t operator()(uint64_t number) const {
        number *= 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio: mixes upwards
        return number ^ number >> 32;
    }
};

}  // namespace memtrace::analyzer
