// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/gpu_aside.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what comes and goes is counted, with the most at a time") {
    GpuAside aside;
    come(aside, 100);
    come(aside, 50);
    go(aside, 100);
    come(aside, 20);
    CHECK(aside.count == 3);
    CHECK(aside.live == 2);
    CHECK(aside.live_bytes == 70);
    CHECK(aside.most_bytes == 150);
}
