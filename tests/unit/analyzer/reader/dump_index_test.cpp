// SPDX-License-Identifier: Apache-2.0
//
// The structure of the file, and damage to it below the level of records.
#include "analyzer/reader/dump_index.h"

#include <cstring>

#include "memtrace/dump/hash.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

uint64_t live_bytes(const Model& model) { return space_named(model, "host")->totals.live_bytes; }

// Returns three chunks of ten blocks.
DumpBuilder three_chunks() {
    DumpBuilder dump;
    for (uint64_t i = 0; i < 30; ++i) {
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
        if (i % 10 == 9) dump.end_chunk(0);
    }
    return dump;
}

template <class Change>
void forge(Bytes& bytes, uint64_t offset, Change&& change) {
    StoredSectionHeader stored;
    std::memcpy(&stored, bytes.data() + offset, sizeof stored);
    change(stored.header);
    stored.checksum = hash_bytes(&stored.header, sizeof stored.header);
    std::memcpy(bytes.data() + offset, &stored, sizeof stored);
}

}  // namespace

TEST_CASE("lanes, their chunks in order, their rings") {
    DumpBuilder dump = three_chunks();
    dump.add(lane_none, Process{0, 1});
    dump.add(7, ThreadStart{1, 1});
    const TempFile path(dump.bytes());
    Problems problems;
    DumpFile file(path.path(), problems);
    const DumpIndex index = index_dump(file, problems);
    CHECK_FALSE(problems.damaged());
    REQUIRE(index.lanes.size() == 3);
    CHECK(index.lanes[0].lane == lane_none);
    CHECK(index.lanes[1].chunks.size() == 3);
    CHECK(index.lanes[1].ring->begin() == 30);
    CHECK(index.lanes[1].ring->head() == 30);
    CHECK(index.lanes[2].ring->head() == 1);
}

TEST_CASE("a lane that lacks a chunk says how many slots are lost, and the rest is reported") {
    DumpBuilder dump;
    for (uint64_t i = 0; i < 30; ++i) {
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
        if (i % 10 == 9) dump.end_chunk(0);
    }
    Bytes bytes = dump.bytes();
    const DumpBuilder::Place& middle = dump.places()[2];
    REQUIRE(middle.kind == SectionKind::chunk);
    bytes[middle.offset + 70] ^= 1;
    const Model model = load_bytes(bytes);
    CHECK(model.damaged);
    CHECK_THAT(problems_of(model),
               Contains("checksum is wrong") && Contains("lacks slots 10 to 19"));
    CHECK(model.capture.lost_events == 10);
    CHECK(live_bytes(model) == 20);
    CHECK(model.problems[0].offset == middle.offset);
    CHECK(model.problems[0].bytes == middle.end - middle.offset);
}

TEST_CASE("a frame header that is damaged costs its frame only") {
    DumpBuilder dump = three_chunks();
    const Bytes whole = dump.bytes();
    for (const DumpBuilder::Place& place : dump.places()) {
        if (place.kind == SectionKind::ring) continue;
        for (uint64_t byte = 0; byte < 64; ++byte) {
            Bytes bytes = whole;
            bytes[place.offset + byte] ^= 0x10;
            const Model model = load_bytes(bytes);
            CHECK(model.damaged);
            CHECK(model.capture.lost_events == 10);
            CHECK(live_bytes(model) == 20);
        }
    }
}

TEST_CASE("padding, room and the header's page must be zero") {
    DumpBuilder::Settings settings;
    settings.room_bytes = 300;
    DumpBuilder dump(settings);
    dump.add(0, Acquire{10, Api::malloc, 0, 1, 0x1000}).end_chunk(0);
    const uint64_t end = dump.end();
    const Bytes whole = dump.bytes();
    const auto with_byte = [&](uint64_t at) {
        Bytes bytes = whole;
        bytes[at] ^= 1;
        return problems_of(load_bytes(bytes));
    };
    CHECK_THAT(with_byte(200), Contains("unused part of the header page") && Contains("[200, +"));
    CHECK_THAT(with_byte(end - 1), Contains("padding"));
    CHECK_THAT(with_byte(end), Contains("something after it"));
    CHECK_THAT(with_byte(end + 299), Contains("something after it") && Contains("+1)"));
}

TEST_CASE("a file end that cannot be") {
    DumpBuilder dump = three_chunks();
    const Bytes whole = dump.bytes();
    const auto with_end = [&](uint64_t end) {
        Bytes bytes = whole;
        std::memcpy(bytes.data() + offsetof(FileHeader, file_end), &end, sizeof end);
        const Model model = load_bytes(bytes);
        CHECK(live_bytes(model) == 30);
        return problems_of(model);
    };
    CHECK_THAT(with_end(0), Contains("cannot be"));
    CHECK_THAT(with_end(whole.size() - 1), Contains("cannot be"));
    CHECK_THAT(with_end(whole.size() - 64), Contains("frames go on until"));
    CHECK_THAT(with_end(4096), Contains("something after it"));
    CHECK_THAT(with_end(whole.size() + 64), Contains("64 bytes are missing"));
}

TEST_CASE("frames of a kind that is newer than the program are skipped") {
    DumpBuilder dump = three_chunks();
    Bytes bytes = dump.bytes();
    const uint64_t at = bytes.size();
    bytes.resize(at + 192);
    forge(bytes, at, [](SectionHeader& header) {
        header.magic = section_magic;
        header.kind = static_cast<SectionKind>(77);
        header.stored_bytes = 128;
    });
    const uint64_t end = bytes.size();
    std::memcpy(bytes.data() + offsetof(FileHeader, file_end), &end, sizeof end);
    const Model model = load_bytes(bytes);
    CHECK_FALSE(model.damaged);
    CHECK(model.notes.size() == 1);
    CHECK(live_bytes(model) == 30);
}

TEST_CASE("a chunk that repeats slots of another one is ignored") {
    DumpBuilder dump = three_chunks();
    Bytes bytes = dump.bytes();
    forge(bytes, dump.places()[2].offset, [](SectionHeader& header) { header.first_slot = 5; });
    const Model model = load_bytes(bytes);
    CHECK_THAT(problems_of(model), Contains("in another chunk, too"));
    CHECK(live_bytes(model) == 20);
}

TEST_CASE("a second ring of a lane and a ring of impossible size") {
    DumpBuilder dump;
    dump.add(0, Acquire{10, Api::malloc, 0, 1, 0x1000});
    dump.add(1, Acquire{11, Api::malloc, 0, 1, 0x2000});
    const Bytes whole = dump.bytes();
    Bytes second = whole;
    forge(second, dump.places()[1].offset, [](SectionHeader& header) { header.lane = 0; });
    CHECK_THAT(problems_of(load_bytes(second)), Contains("second ring"));
    Bytes odd = whole;
    forge(odd, dump.places()[1].offset, [](SectionHeader& header) { header.slot_count = 63; });
    CHECK_THAT(problems_of(load_bytes(odd)), Contains("impossible size"));
    CHECK(live_bytes(load_bytes(odd)) == 1);
}

TEST_CASE("without rings in the file a killed process may have lost events, an ended one has not") {
    DumpBuilder::Settings settings;
    settings.with_rings = false;
    DumpBuilder dump(settings);
    dump.add(0, Acquire{10, Api::malloc, 0, 1, 0x1000});
    CHECK_THAT(problems_of(load_bytes(dump.bytes())), Contains("has no ring"));
    dump.settings.state = State::ended;
    CHECK(problems_of(load_bytes(dump.bytes())).empty());
}

TEST_CASE("a lane whose ring is gone is damaged, also if the program ended by itself") {
    DumpBuilder dump = three_chunks();
    dump.settings.state = State::ended;
    Bytes bytes = dump.bytes();
    FileHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.sections.word -= header.sections.one;  // so that nothing else tells
    header.rings_and_process.word -= header.rings_and_process.one;
    std::memcpy(bytes.data(), &header, sizeof header);
    const DumpBuilder::Place& ring = dump.places()[0];
    std::memset(bytes.data() + ring.offset, 0, ring.end - ring.offset);
    CHECK_THAT(problems_of(load_bytes(bytes)), Contains("has no ring"));
}

TEST_CASE("the chunk of the process in the place of another section, or once more, is told") {
    DumpBuilder dump;
    dump.add(lane_none, Process{0, 1, 0, 0, "/bin/program", "program"});
    dump.end_chunk(lane_none);
    dump.add(0, Acquire{10, Api::malloc, 0, 1, 0x1000});
    const Bytes whole = dump.bytes();
    CHECK(problems_of(load_bytes(whole)).empty());
    const DumpBuilder::Place& process = dump.places()[0];
    const DumpBuilder::Place& ring = dump.places()[1];
    REQUIRE(process.lane == lane_none);
    REQUIRE(ring.kind == SectionKind::ring);
    Bytes replaced = whole;
    std::memset(replaced.data() + ring.offset, 0, ring.end - ring.offset);
    std::memcpy(replaced.data() + ring.offset, whole.data() + process.offset,
                process.end - process.offset);
    CHECK_THAT(problems_of(load_bytes(replaced)), Contains("is there twice"));
}

TEST_CASE("more sections than the header counts are damage, but for one that a thread finished") {
    DumpBuilder dump = three_chunks();
    const auto with_count = [&](uint32_t count) {
        Bytes bytes = dump.bytes();
        const auto sections = decltype(FileHeader::sections)::of(count);
        std::memcpy(bytes.data() + offsetof(FileHeader, sections), &sections, sizeof sections);
        return problems_of(load_bytes(bytes));
    };
    CHECK(with_count(4).empty());
    CHECK(with_count(3).empty());
    CHECK_THAT(with_count(2), Contains("counts 2 sections, and 4 are there"));
    CHECK_THAT(with_count(5), Contains("is lost"));
}

TEST_CASE(
    "a lane or the process's chunk is missed, also if a killed thread left a chunk uncounted") {
    DumpBuilder dump = three_chunks();
    dump.add(lane_none, Process{0, 1, 0, 0, "/bin/program", "program"});
    dump.add(1, Acquire{50, Api::malloc, 0, 1, 0x9000});
    Bytes whole = dump.bytes();
    FileHeader header;
    std::memcpy(&header, whole.data(), sizeof header);
    header.sections.word -= header.sections.one;
    std::memcpy(whole.data(), &header, sizeof header);
    CHECK(problems_of(load_bytes(whole)).empty());
    for (const DumpBuilder::Place& place : dump.places()) {
        if (place.kind == SectionKind::chunk && place.lane != lane_none) continue;
        Bytes bytes = whole;
        std::memset(bytes.data() + place.offset, 0, place.end - place.offset);
        CHECK_THAT(problems_of(load_bytes(bytes)), Contains("rings and chunks about the process"));
    }
}
