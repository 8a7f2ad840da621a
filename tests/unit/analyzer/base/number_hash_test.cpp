// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/number_hash.h"

#include <algorithm>
#include <vector>

#include "tests/unit/test.h"

using memtrace::analyzer::NumberHash;

namespace {

// Returns the largest number of keys with equal low bits of their hash, for as many values of these
// bits as there are keys.
size_t longest_queue(const std::vector<uint64_t>& keys) {
    std::vector<size_t> places(keys.size());
    size_t longest = 0;
    for (const uint64_t key : keys) {
        longest = std::max(longest, ++places[NumberHash{}(key) % keys.size()]);
    }
    return longest;
}

}  // namespace

TEST_CASE("keys that differ only in their upper half are spread", "[number_hash]") {
    constexpr size_t count = size_t{1} << 16;
    std::vector<uint64_t> calls_of_one_function, addresses;
    for (uint64_t i = 0; i < count; ++i) {
        calls_of_one_function.push_back(i << 32 | 7);
        addresses.push_back(0x7f0000000000 + i * 4096);
    }
    CHECK(longest_queue(calls_of_one_function) < 12);
    CHECK(longest_queue(addresses) < 12);
}
