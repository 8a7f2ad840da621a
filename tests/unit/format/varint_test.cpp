// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/varint.h"

#include <random>

#include "tests/unit/test.h"

using namespace memtrace;

TEST_CASE("a varint comes back as it was, for every length") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const uint64_t value = random() >> (i % 64);
        uint8_t bytes[varint_bytes_max + 1];
        const uint8_t* end = write_varint(bytes, value);
        REQUIRE(end - bytes <= static_cast<ptrdiff_t>(varint_bytes_max));
        uint64_t back = ~value;
        REQUIRE(read_varint(bytes, end, back) == end);
        REQUIRE(back == value);
        REQUIRE(read_varint(bytes, end - 1, back) == nullptr);
    }
}

TEST_CASE("a varint that does not fit 64 bits is refused") {
    const uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00};
    uint64_t value = 0;
    CHECK(read_varint(too_large, too_large + sizeof too_large, value) == nullptr);
    CHECK(read_varint(too_long, too_long + sizeof too_long, value) == nullptr);
    CHECK(read_varint(too_long, too_long, value) == nullptr);
}

TEST_CASE("zigzag keeps small magnitudes small") {
    CHECK(zigzag(0) == 0);
    CHECK(zigzag(-1) == 1);
    CHECK(zigzag(1) == 2);
    for (const int64_t value : {INT64_MIN, INT64_MAX, int64_t{-4711}, int64_t{4711}}) {
        CHECK(unzigzag(zigzag(value)) == value);
    }
}
