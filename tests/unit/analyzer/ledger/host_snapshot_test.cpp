// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/host_snapshot.h"

#include <string>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

HostRegion region(uint64_t begin, uint64_t end) {
    HostRegion record;
    record.begin = begin;
    record.end = end;
    return record;
}

HostPages pages(uint64_t begin, const std::string& runs) {
    HostPages record;
    record.begin = begin;
    record.runs = runs;
    return record;
}

HostMomentEnd end_of(uint64_t regions) {
    HostMomentEnd record;
    record.regions = regions;
    return record;
}

}  // namespace

TEST_CASE("a moment has its regions and their pages by address") {
    SnapshotCollector collector;
    collector.begin({}, 3);
    collector.add(region(0x20000, 0x30000), 3);
    const std::string second("\0\1\2", 3);
    collector.add(pages(0x20000, "\1\2\1"), 3);
    collector.add(pages(0x24000, second), 3);
    collector.add(region(0x10000, 0x11000), 3);
    const auto snapshot = collector.end(end_of(2), 3);
    REQUIRE(snapshot);
    REQUIRE(snapshot->regions.size() == 2);
    CHECK(snapshot->regions[0].begin == 0x10000);
    CHECK(snapshot->regions[0].resident.empty());
    const auto& resident = snapshot->regions[1].resident;
    REQUIRE(resident.size() == 3);
    CHECK(resident[0].end == 0x21000);
    CHECK((resident[1].begin == 0x23000 && resident[1].end == 0x24000));
    CHECK((resident[2].begin == 0x25000 && resident[2].end == 0x27000));
}

TEST_CASE("records of another lane, or without a beginning, do not matter") {
    SnapshotCollector collector;
    collector.add(region(0x10000, 0x11000), 1);
    CHECK_FALSE(collector.end(end_of(1), 1));
    collector.begin({}, 1);
    collector.add(region(0x10000, 0x11000), 2);
    CHECK_FALSE(collector.end(end_of(0), 2));
    CHECK(collector.end(end_of(0), 1));
    CHECK_FALSE(collector.end(end_of(0), 1));  // It has ended.
}

TEST_CASE("a moment that lacks regions does not count") {
    SnapshotCollector collector;
    collector.begin({}, 1);
    collector.add(region(0x10000, 0x11000), 1);
    CHECK_FALSE(collector.end(end_of(2), 1));
}

TEST_CASE("pages of a damaged record do not reach beyond their region") {
    SnapshotCollector collector;
    collector.begin({}, 1);
    collector.add(region(0x10000, 0x12000), 1);
    collector.add(pages(0x10000, "\1\x7f"), 1);
    collector.add(pages(0xf000, "\1"), 1);
    const auto snapshot = collector.end(end_of(1), 1);
    REQUIRE(snapshot);
    REQUIRE(snapshot->regions[0].resident.size() == 1);
    CHECK(snapshot->regions[0].resident[0].end == 0x11000);
}

TEST_CASE("what the shim tells of itself and of threads is sorted, and joined where it touches") {
    SnapshotCollector collector;
    collector.begin({}, 1);
    const auto range = [&](HostUse use, uint64_t begin, uint64_t end) {
        HostRange record;
        record.use = use;
        record.begin = begin;
        record.end = end;
        collector.add(record, 1);
    };
    range(HostUse::memtrace, 0x3000, 0x4000);
    range(HostUse::memtrace, 0x1000, 0x3000);
    range(HostUse::thread_stack, 0x9000, 0x9001);
    range(HostUse::thread_stack, 0x8000, 0x8001);
    const auto snapshot = collector.end(end_of(0), 1);
    REQUIRE(snapshot);
    REQUIRE(snapshot->own.size() == 1);
    CHECK(snapshot->own[0].end == 0x4000);
    CHECK(snapshot->stacks == std::vector<uint64_t>{0x8000, 0x9000});
}
