// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/cached_stack.h"

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

// Addresses, as in the words of a stack.
uint64_t address_of(const uint64_t& word) { return reinterpret_cast<uint64_t>(&word); }

}  // namespace

TEST_CASE("words hold until one of them changes, whichever it is", "[cached_stack]") {
    std::vector<uint64_t> stack;
    for (uint64_t i = 0; i < 40; ++i) stack.push_back(0x7fff'0000'0000 + i * 0x1111);
    const uint64_t base = address_of(stack[0]) - 800;
    std::vector<uint64_t> packed;
    for (const uint64_t& word : stack) {
        REQUIRE(StackWord::fits(base, address_of(word), word));
        packed.push_back(StackWord::pack(base, address_of(word), word));
    }
    const auto hold = [&] {
        return StackWord::all_hold(base, packed.data(), static_cast<uint32_t>(packed.size()));
    };
    CHECK(hold());
    for (uint64_t& word : stack) {
        for (const uint64_t change : {uint64_t{1}, uint64_t{1} << 47, uint64_t{1} << 63}) {
            word ^= change;
            CHECK_FALSE(hold());
            word ^= change;
        }
    }
    CHECK(hold());
    CHECK(StackWord::all_hold(base, packed.data(), 0));
}

TEST_CASE("what does not fit is not packed", "[cached_stack]") {
    constexpr uint64_t base = 0x7fff'0000'0000;
    CHECK(StackWord::fits(base, base, 0));
    CHECK(StackWord::fits(base, base + StackWord::reach - 8, StackWord::value_mask));
    CHECK_FALSE(StackWord::fits(base, base + StackWord::reach, 0));
    CHECK_FALSE(StackWord::fits(base, base - 8, 0));
    CHECK_FALSE(StackWord::fits(base, base + 4, 0));
    CHECK_FALSE(StackWord::fits(base, base, StackWord::value_mask + 1));
}
