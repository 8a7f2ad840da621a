// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/zeroed_array.h"

#include <algorithm>
#include <cstdint>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("an array of zeros keeps what is written, and is moved without a copy") {
    ZeroedArray<uint64_t> array(1000);
    REQUIRE(std::count(array.begin(), array.end(), 0) == 1000);
    array[999] = 7;
    const uint64_t* const where = array.data();
    ZeroedArray<uint64_t> other(1);
    other = std::move(array);
    REQUIRE(other.data() == where);
    REQUIRE(other.size() == 1000);
    REQUIRE(other[999] == 7);
}

TEST_CASE("what is given back is zero again, and its neighbours stay") {
    constexpr size_t per_huge_page = (size_t{1} << 21) / sizeof(uint64_t);
    ZeroedArray<uint64_t> array(8 * per_huge_page);
    std::fill(array.begin(), array.end(), 5);
    // Wherever the array begins in its first huge page: this range has at least two whole ones.
    const size_t begin = 2 * per_huge_page, end = 5 * per_huge_page;
    array.give_back(begin, end);
    REQUIRE(std::count(array.begin(), array.begin() + begin, 5) == begin);
    REQUIRE(std::count(array.begin() + end, array.end(), 5) == 3 * per_huge_page);
    REQUIRE(std::count(array.begin() + begin, array.begin() + end, 0) >=
            static_cast<ptrdiff_t>(2 * per_huge_page));
}

TEST_CASE("a piece of a huge page is not given back") {
    ZeroedArray<uint64_t> array(5000);
    std::fill(array.begin(), array.end(), 5);
    array.give_back(0, 5000);
    REQUIRE(std::count(array.begin(), array.end(), 5) == 5000);
}
