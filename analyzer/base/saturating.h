// SPDX-License-Identifier: Apache-2.0
//
// Sums of figures that come from files. A file may be damaged or made by hand, so a sum may not fit
// into 64 bits. It then stays at the greatest number. A sum that wrapped around would be small, and
// would keep every limit.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace memtrace::analyzer {

// Adds `part` to `sum`. Returns false if the sum does not fit and is now UINT64_MAX.
constexpr bool add_saturating(uint64_t& sum, uint64_t part) {
    if (!__builtin_add_overflow(sum, part, &sum)) return true;
    sum = UINT64_MAX;
    return false;
}

// Returns the sum of these figures, at most UINT64_MAX.
constexpr uint64_t saturating_sum(std::initializer_list<uint64_t> parts) {
    uint64_t sum = 0;
    for (const uint64_t part : parts) add_saturating(sum, part);
    return sum;
}

// Returns the product, at most UINT64_MAX.
constexpr uint64_t saturating_product(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// Returns the whole part of `value`: 0 if it is negative or not a number, at most UINT64_MAX.
constexpr uint64_t saturating_whole(double value) {
    constexpr double too_much = 18446744073709551616.0;
    if (!(value > 0)) return 0;
    return value >= too_much ? UINT64_MAX : static_cast<uint64_t>(value);
}

}  // namespace memtrace::analyzer
