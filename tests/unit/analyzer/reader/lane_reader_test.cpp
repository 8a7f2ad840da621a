// SPDX-License-Identifier: Apache-2.0
//
// One lane: chunks, then the ring. Long lanes come in batches, and false headers are detected.
#include "analyzer/reader/lane_reader.h"

#include <cstring>

#include "memtrace/dump/hash.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

template <class Visit>
void read_lane(const Bytes& bytes, Visit&& visit) {
    const TempFile path(bytes);
    Problems problems;
    DumpFile file(path.path(), problems);
    const DumpIndex index = index_dump(file, problems);
    ReadContext context{file, problems, [](uint64_t) {}};
    LaneReader reader(index.lanes[0], context);
    for (;;) {
        const EventBatch& batch = reader.fill();
        if (batch.empty()) return;
        for (const Event& event : batch) visit(event);
    }
}

// Changes the header of the first chunk and makes its checksum correct again.
template <class Change>
Bytes with_chunk_header(DumpBuilder& dump, Change&& change) {
    Bytes bytes = dump.bytes();
    for (const DumpBuilder::Place& place : dump.places()) {
        if (place.kind != SectionKind::chunk) continue;
        StoredSectionHeader stored;
        std::memcpy(&stored, bytes.data() + place.offset, sizeof stored);
        change(stored.header);
        stored.checksum = hash_bytes(&stored.header, sizeof stored.header);
        std::memcpy(bytes.data() + place.offset, &stored, sizeof stored);
        break;
    }
    return bytes;
}

DumpBuilder ten_blocks() {
    DumpBuilder dump;
    for (uint64_t i = 0; i < 10; ++i)
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
    dump.end_chunk(0);
    return dump;
}

}  // namespace

TEST_CASE("chunks and ring follow each other without a seam, texts included") {
    DumpBuilder::Settings settings;
    settings.ring_slots = 2048;
    DumpBuilder dump(settings);
    for (uint64_t i = 0; i < 3000; ++i) {
        const std::string text = "mark number " + std::to_string(i);
        dump.add(0, Mark{i, MarkKind::mark, text});
        if (i % 700 == 0) dump.end_chunk(0);
    }
    uint64_t next = 0;
    read_lane(dump.bytes(), [&](const Event& event) {
        const Mark& mark = *record_if<Mark>(event);
        REQUIRE(mark.time == next);
        REQUIRE(mark.text == "mark number " + std::to_string(next));
        ++next;
    });
    CHECK(next == 3000);
}

TEST_CASE("the ends of nested resizes come when their time has come, or at the end") {
    DumpBuilder dump;
    dump.add(0, Resize{10, 50, Api::realloc, 0x1000, 0, 1, 0x2000});  // until 60
    dump.add(0, Resize{20, 5, Api::realloc, 0x3000, 0, 2, 0x4000});   // until 25
    dump.add(0, Release{30, Api::free, 0x5000});
    dump.add(0, Resize{40, 1000, Api::realloc, 0x6000, 0, 3, 0x7000});  // never within the lane
    dump.add(0, Release{70, Api::free, 0x8000});
    std::vector<uint64_t> times;
    read_lane(dump.bytes(), [&](const Event& event) {
        times.push_back(visit_record(event, [](const auto& record) { return record.time; }));
    });
    CHECK(times == std::vector<uint64_t>{10, 20, 25, 30, 40, 60, 70, 1040});
}

TEST_CASE("a chunk that lies about itself is found out, and what it held is counted") {
    const auto problems = [](auto change) {
        DumpBuilder dump = ten_blocks();
        const Model model = load_bytes(with_chunk_header(dump, change));
        CHECK(model.damaged);
        return problems_of(model) + std::to_string(model.capture.lost_events) + " lost";
    };
    CHECK_THAT(problems([](SectionHeader& header) { header.record_count = 12; }),
               Contains("fewer or more records") && Contains("2 lost"));
    CHECK_THAT(problems([](SectionHeader& header) { header.raw_bytes += 1; }),
               Contains("cannot be unpacked") && Contains("10 lost"));
    CHECK_THAT(problems([](SectionHeader& header) { header.raw_bytes = raw_bytes_max + 1; }),
               Contains("larger than any chunk"));
    CHECK_THAT(problems([](SectionHeader& header) { header.packing = static_cast<Packing>(9); }),
               Contains("does not know"));
}
