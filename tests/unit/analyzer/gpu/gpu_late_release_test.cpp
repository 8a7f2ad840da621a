// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_late_release.h"

#include "memtrace/dump/format.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a release that began before explains an acquisition, once") {
    GpuLateRelease overtaken;
    overtaken.wait(0xa000, 30, 1);
    CHECK_FALSE(overtaken.settle(0xa000, 0xa001, 35));
    CHECK_FALSE(overtaken.settle(0xb000, 0xb001, 20));
    CHECK(overtaken.settle(0xa000, 0xa001, 20));
    CHECK_FALSE(overtaken.settle(0xa000, 0xa001, 20));
}

TEST_CASE("an unmapping explains all that was mapped there meanwhile") {
    GpuLateRelease overtaken;
    overtaken.wait(0xa000, 30, 1);
    overtaken.wait(0xb000, 31, 2);
    overtaken.wait(0xc000, 32, 3);
    CHECK(overtaken.settle(0xa000, 0xc000, 20));
    int left = 0;
    overtaken.for_each([&](uint64_t address, uint64_t time, uint32_t lane) {
        left += address == 0xc000 && time == 32 && lane == 3;
    });
    CHECK(left == 1);
}

TEST_CASE("when a release began") {
    memtrace::GpuRelease release;
    release.time = 50;
    release.lead = 20;
    CHECK(begin_of(release) == 30);
    release.lead = 60;
    CHECK(begin_of(release) == 0);
}
