// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cupti_parameters.h"

#include <cstddef>
#include <cstdint>

#include "tests/unit/test.h"

using namespace memtrace::preload::cupti;

namespace {

struct Mixed {
    char letter;
    uint64_t number;
    int small;
    short tiny;
    void* pointer;
};
using Layout5 = Layout<char, uint64_t, int, short, void*>;

}  // namespace

TEST_CASE("arguments lie where C lays out a structure of them", "[cupti]") {
    CHECK(Layout5::places.of[0] == offsetof(Mixed, letter));
    CHECK(Layout5::places.of[1] == offsetof(Mixed, number));
    CHECK(Layout5::places.of[2] == offsetof(Mixed, small));
    CHECK(Layout5::places.of[3] == offsetof(Mixed, tiny));
    CHECK(Layout5::places.of[4] == offsetof(Mixed, pointer));
    CHECK(Layout5::places.of[5] == sizeof(Mixed));
    CHECK(Layout<int>::places.of[1] == 4);
}

TEST_CASE("a function is called with the arguments of a structure", "[cupti]") {
    int here = 0;
    const Mixed mixed{'m', uint64_t{1} << 40, -7, 3, &here};
    const bool same = with_arguments<char, uint64_t, int, short, void*>(
        &mixed, [&](char letter, uint64_t number, int small, short tiny, void* pointer) {
            return letter == 'm' && number == uint64_t{1} << 40 && small == -7 && tiny == 3 &&
                   pointer == &here;
        });
    CHECK(same);
}
