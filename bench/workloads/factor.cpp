// SPDX-License-Identifier: Apache-2.0
//
// Factorises numbers and keeps every step in small lists that are soon freed: short-lived blocks
// from a few places.  factor COUNT   (COUNT: numbers)
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "descend.h"

using Factors = std::vector<uint64_t>;

static NOINLINE Factors merge(const Factors& a, const Factors& b) {
    Factors both;
    both.reserve(a.size() + b.size());
    both.insert(both.end(), a.begin(), a.end());
    both.insert(both.end(), b.begin(), b.end());
    return both;
}

// Returns the smallest divisor from 2 to 61, or else the number itself.
static uint64_t divisor_of(uint64_t number) {
    for (uint64_t divisor = 2; divisor <= 61 && divisor * divisor <= number; ++divisor) {
        if (number % divisor == 0) return divisor;
    }
    return number;
}

static NOINLINE Factors factorise(uint64_t number) {
    const uint64_t divisor = divisor_of(number);
    if (divisor == number) return {number};
    return merge({divisor}, factorise(number / divisor));
}

static NOINLINE std::string written(const Factors& factors) {
    std::string text;
    for (const uint64_t factor : factors) text += std::to_string(factor) + " * ";
    return text;
}

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: factor COUNT\n"), 2;
    uint64_t random = 88172645463325252u;
    uint64_t letters = 0;
    for (long left = std::atol(argv[1]); left > 0; --left) {
        letters += written(factorise(next_random(&random) >> 24 & ~uint64_t{3})).size();
    }
    std::printf("%llu letters\n", static_cast<unsigned long long>(letters));
    return 0;
}
