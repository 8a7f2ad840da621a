// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_allocator_check.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("PyTorch's counts and ours are compared with each block") {
    GpuAllocatorCheck agreement;
    agreement.change_segments(0, 100);
    agreement.compare(0, 10, {100, 40}, {100, 40});
    agreement.compare(0, 11, {100, 60}, {100, 60});
    CHECK(agreement.result().moments == 2);
    CHECK(agreement.result().agreed == 2);
    CHECK(agreement.result().in_between == 0);
}

TEST_CASE("the first moment that does not agree is kept") {
    GpuAllocatorCheck agreement;
    agreement.compare(0, 10, {100, 40}, {100, 40});
    agreement.compare(0, 20, {300, 40}, {100, 40});  // a segment that was not recorded
    agreement.compare(0, 30, {300, 50}, {100, 40});
    CHECK(agreement.result().moments == 3);
    CHECK(agreement.result().agreed == 1);
    CHECK(agreement.result().time_ns == 20);
    CHECK(agreement.result().their_reserved == 300);
    CHECK(agreement.result().our_reserved == 100);
}

TEST_CASE("a thread in the middle of a call explains a difference, its own calls do not") {
    GpuAllocatorCheck agreement;
    agreement.change_segments(0, 100);
    agreement.compare(0, 10, {100, 0}, {100, 0});
    // Lane 1 has just received a segment and waits for the allocator's lock.
    agreement.change_segments(1, 50);
    agreement.compare(0, 20, {100, 10}, {150, 10});
    CHECK(agreement.result().in_between == 1);
    agreement.compare(1, 30, {150, 20}, {150, 20});
    CHECK(agreement.result().agreed == 3);
    // Lane 1 gives two segments back; the allocator has counted the first already.
    agreement.change_segments(1, -30);
    agreement.change_segments(1, -20);
    agreement.compare(0, 40, {120, 20}, {100, 20});
    CHECK(agreement.result().in_between == 2);
    // The reporting thread has ended its call, so its own segments explain nothing.
    agreement.change_segments(0, 8);
    agreement.compare(0, 50, {100, 20}, {108, 20});
    CHECK(agreement.result().agreed == 4);
    CHECK(agreement.result().time_ns == 50);
}

TEST_CASE("blocks must agree always: the allocator reports them under its lock") {
    GpuAllocatorCheck agreement;
    agreement.change_segments(1, 50);
    agreement.compare(0, 10, {0, 30}, {50, 20});
    CHECK(agreement.result().agreed == 0);
    CHECK(agreement.result().their_allocated == 30);
}
