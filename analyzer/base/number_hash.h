// SPDX-License-Identifier: Apache-2.0
//
// A hash for keys that are numbers. robin_map takes the bucket from the low bits of a hash, and
// std::hash leaves numbers as they are. Keys with equal low bits would collide until the map grows
// without end. Examples are addresses, and keys with a frequent number in the lower half and
// another number in the upper half.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::analyzer {

struct NumberHash {
    size_t operator()(uint64_t number) const {
        number *= 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio; mixes upwards
        return number ^ number >> 32;
    }
};

}  // namespace memtrace::analyzer
