// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the form in which people read and type them.
#include "analyzer/base/units.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("sizes are binary, with one digit behind the point") {
    CHECK(human_bytes(0) == "0 B");
    CHECK(human_bytes(1023) == "1023 B");
    CHECK(human_bytes(1024) == "1.0 KiB");
    CHECK(human_bytes(432'327'680) == "412.3 MiB");
    CHECK(human_bytes(1024 * 1024 - 1) == "1.0 MiB");
    CHECK(human_bytes(uint64_t{5} << 40) == "5.0 TiB");
    CHECK(human_bytes(UINT64_MAX) == "16.0 EiB");
}

TEST_CASE("counts have commas") {
    CHECK(exact_count(0) == "0");
    CHECK(exact_count(999) == "999");
    CHECK(exact_count(1000) == "1,000");
    CHECK(exact_count(12'345'678) == "12,345,678");
    CHECK(counted(1, "block") == "1 block");
    CHECK(counted(1200, "block") == "1,200 blocks");
}

TEST_CASE("times have the unit that suits them") {
    CHECK(human_time(850) == "850 ns");
    CHECK(human_time(12'400) == "12.4 us");
    CHECK(human_time(850'000'000) == "850 ms");
    CHECK(human_time(1'240'000'000) == "1.24 s");
    CHECK(human_time(192'000'000'000) == "3 min 12 s");
    CHECK(human_time(7'380'000'000'000) == "2 h 3 min");
}

TEST_CASE("shares never claim all or nothing when it is not so") {
    CHECK(percent(1, 0) == "-");
    CHECK(percent(0, 10) == "0.0 %");
    CHECK(percent(1, 100'000) == "<0.1 %");
    CHECK(percent(99'999, 100'000) == ">99.9 %");
    CHECK(percent(10, 10) == "100.0 %");
    CHECK(percent(728, 1000) == "72.8 %");
    // A part may be larger than what it is compared with. Columns have room for seven characters.
    CHECK(percent(9999, 1000) == "999.9 %");
    CHECK(percent(99'994, 10'000) == "999.9 %");
    CHECK(percent(12'340, 1000) == "1234 %");
    CHECK(percent(123'456'789, 1) == ">9999 %");
}

TEST_CASE("sizes are typed with or without a suffix") {
    CHECK(parse_size("0") == 0u);
    CHECK(parse_size("500") == 500u);
    CHECK(parse_size("500K") == 500u << 10);
    CHECK(parse_size("4GiB") == uint64_t{4} << 30);
    CHECK(parse_size("4GB") == uint64_t{4} << 30);
    CHECK(parse_size("1T") == uint64_t{1} << 40);
    CHECK(parse_size("1.5k") == 1536u);
    CHECK(parse_size(".5K") == 512u);
    CHECK(parse_size("64 MiB") == uint64_t{64} << 20);
    CHECK(parse_size("12 bytes") == 12u);
    CHECK(parse_size("18446744073709551615") == UINT64_MAX);
}

TEST_CASE("what is no size is refused") {
    for (const char* text : {"", "K", "-1", "4X", "4KiBs", "1.", ".", "1e6", "0x10", "1,000",
                             "18446744073709551616", "16E", "99999999T", "4 GiB free"}) {
        INFO(text);
        CHECK(!parse_size(text).has_value());
    }
}

TEST_CASE("parts are numbers with a percent sign") {
    CHECK(parse_percent("5%") == 5.0);
    CHECK(parse_percent("0.5 %") == 0.5);
    CHECK(parse_percent("100%") == 100.0);
    for (const char* text : {"5", "%", "-1%", "101%", "nan%", "5%%", "x%", "1 0%"}) {
        INFO(text);
        CHECK(!parse_percent(text).has_value());
    }
}

TEST_CASE("times are typed as they are printed, and as people write them") {
    CHECK(parse_time("90") == 90'000'000'000u);
    CHECK(parse_time("2.5s") == 2'500'000'000u);
    CHECK(parse_time("250ms") == 250'000'000u);
    CHECK(parse_time("1m30s") == 90'000'000'000u);
    CHECK(parse_time("1h") == 3'600'000'000'000u);
    CHECK(parse_time("17ns") == 17u);
    for (const uint64_t time :
         {uint64_t{850}, uint64_t{12'400}, uint64_t{850'000'000}, uint64_t{1'240'000'000},
          uint64_t{192'000'000'000}, uint64_t{7'380'000'000'000}}) {
        CHECK(parse_time(human_time(time)) == time);
    }
    for (const char* const wrong :
         {"", "s", "-1s", "1x", "1.2.3s", "1m30", ".5s", "step 3", "1 ", "1e30s", "99999999999d"}) {
        INFO(wrong);
        CHECK_FALSE(parse_time(wrong));
    }
}

TEST_CASE("rates are written with a fraction where a whole number says too little") {
    CHECK(human_bytes_of(0.42) == "0.42 B");
    CHECK(human_bytes_of(-3) == "0 B");
    CHECK(human_bytes_of(1535.7) == "1.5 KiB");
    CHECK(counted_of(0.4, "block") == "0.4 blocks");
    CHECK(counted_of(1, "block") == "1 block");
    CHECK(counted_of(1234.4, "block") == "1,234 blocks");
}

TEST_CASE("long times are hours and days") {
    constexpr uint64_t minute = 60'000'000'000;
    CHECK(human_long_time(59 * minute) == "59 min 0 s");
    CHECK(human_long_time(200 * minute) == "3 h 20 min");
    CHECK(human_long_time(12 * 24 * 60 * minute) == "12 days");
}
