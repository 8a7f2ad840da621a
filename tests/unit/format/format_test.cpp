// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/format.h"

#include "tests/unit/test.h"

using namespace memtrace;

TEST_CASE("a twin number counts in one addition, and both halves say the same") {
    auto number = TwinNumber<0x12345678>::of(0);
    for (uint32_t i = 1; i <= 1000; ++i) {
        number.word += number.one;
        CHECK(number.value() == i);
        CHECK(number.again(format_version) == i);
    }
    CHECK(number.word == number.of(1000).word);
}

TEST_CASE("neither zeros nor another number of the header pass for a twin number") {
    FileHeader zeros{};
    zeros.version = format_version;
    CHECK(zeros.state.value() != zeros.state.again(format_version));
    CHECK(zeros.children.value() != zeros.children.again(format_version));
    CHECK(zeros.sections.value() != zeros.sections.again(format_version));
    CHECK(zeros.rings_and_process.value() != zeros.rings_and_process.again(format_version));
    CHECK(zeros.lost_events != lost_events_again(zeros));
    FileHeader header{};
    header.children.word = header.sections.of(3).word;
    CHECK(header.children.value() != header.children.again(format_version));
}

TEST_CASE("before version 4 both halves were the number") {
    const TwinNumber<0x12345678> number{uint64_t{7} << 32 | 7};
    CHECK(number.value() == 7);
    CHECK(number.again(version_of_twins - 1) == 7);
    FileHeader header{};
    header.version = version_of_twins - 1;
    header.lost_events_left = 5;
    CHECK(lost_events_again(header) == 5);
}
