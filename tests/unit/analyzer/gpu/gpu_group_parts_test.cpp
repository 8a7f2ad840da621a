// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_group_parts.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Part = GpuGroupParts::Part;

struct Sums {
    std::map<uint64_t, uint64_t> bytes;  // by number
    void operator()(const Part& part) { bytes[part.number] += part.bytes; }
};
using Expected = std::map<uint64_t, uint64_t>;

Expected kept(const GpuGroupParts& parts) {
    Sums sums;
    parts.for_each([&](const Part& part) { sums(part); });
    return sums.bytes;
}

void come_back(GpuGroupParts& parts, uint64_t block, uint64_t bytes) {
    parts.end_block(block, bytes, [&](const Part& part) { parts.add(part); });
}

}  // namespace

TEST_CASE("gpu_group_parts: what goes is what came last") {
    GpuGroupParts parts;
    parts.add({1, 100});
    parts.add({2, 50});
    Sums gone;
    parts.take(70, [&](const Part& part) { gone(part); });
    CHECK(gone.bytes == Expected{{2, 50}, {1, 20}});
    CHECK(kept(parts) == Expected{{1, 80}});
    CHECK(parts.bytes() == 80);
    CHECK(parts.is_sound());
}

TEST_CASE("gpu_group_parts: what a block took over comes back with the number that it had") {
    GpuGroupParts parts;
    parts.add({1, 100});
    parts.add({2, 50});
    Sums lent;
    parts.lend(70, 7, [&](const Part& part) { lent(part); });
    parts.lend(30, 8, [&](const Part& part) { lent(part); });
    CHECK(lent.bytes == Expected{{2, 50}, {1, 50}});
    parts.add({9, 10});
    come_back(parts, 7, 70);
    CHECK(kept(parts) == Expected{{1, 70}, {2, 50}, {9, 10}});
    come_back(parts, 8, 30);
    CHECK(kept(parts) == Expected{{1, 100}, {2, 50}, {9, 10}});
}

TEST_CASE("gpu_group_parts: what a block had of its own has the block's number") {
    GpuGroupParts parts;
    parts.add({1, 10});
    parts.lend(10, 7, [](const Part&) {});
    come_back(parts, 7, 25);  // The block took 15 from the device.
    CHECK(kept(parts) == Expected{{1, 10}, {7, 15}});
    come_back(parts, 7, 5);  // Its parts are known no more.
    CHECK(kept(parts) == Expected{{1, 10}, {7, 20}});
}

TEST_CASE("gpu_group_parts: what went to the device does not come back") {
    GpuGroupParts parts;
    parts.add({1, 10});
    parts.lend(10, 7, [](const Part&) {});
    come_back(parts, 7, 4);
    CHECK(kept(parts) == Expected{{1, 4}});
}
