// SPDX-License-Identifier: Apache-2.0
//
// Rings as dying processes leave them, and damaged rings.
#include "analyzer/reader/ring_view.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/tools/small_story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

// Returns twelve blocks: four in each of two chunks, and four in the ring of lane 0.
DumpBuilder twelve_blocks() {
    DumpBuilder dump;
    for (uint64_t i = 0; i < 12; ++i) {
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
        if (i == 3 || i == 7) dump.end_chunk(0);
    }
    return dump;
}

Model with_index(uint64_t index, uint64_t value) {
    DumpBuilder dump = twelve_blocks();
    Bytes bytes = dump.bytes();
    std::memcpy(bytes.data() + page_bytes + section_alignment + index, &value, sizeof value);
    return load_bytes(bytes);
}

}  // namespace

TEST_CASE("a killed process leaves its last events in rings") {
    for (size_t in_ring = 1; in_ring < 6; ++in_ring) {
        TextOptions options;
        options.ring_records = in_ring;
        const Model model = load_story(small_story, options);
        CHECK(problems_of(model).empty());
        CHECK_FALSE(model.damaged);
        CHECK(live_bytes(model) == 57);
        CHECK(model.process.end == "unknown");
    }
}

TEST_CASE("the middle of a recording is that of its chunks and its rings") {
    DumpBuilder dump = twelve_blocks();
    const Model model = load_bytes(dump.bytes());  // times 10 to 21
    CHECK(model.spaces.at(0).totals.half_bytes == 5);
    DumpBuilder quiet;  // all of it lies in the ring
    for (uint64_t time : {10, 20, 110}) quiet.add(0, Acquire{time, Api::malloc, 0, 1, 16 * time});
    CHECK(load_bytes(quiet.bytes()).spaces.at(0).totals.half_bytes == 2);
}

TEST_CASE("killed at any step of emptying a ring, nothing is lost and nothing is damaged") {
    TextOptions options;
    options.ring_records = 4;
    const auto check = [](DumpBuilder& dump) {
        const Model model = load_bytes(dump.bytes());
        CHECK(problems_of(model).empty());
        CHECK(live_bytes(model) == 57);
        CHECK(model.capture.events == 4);
        return model.notes.size();
    };
    DumpBuilder written = build_from_text(small_story, options);
    check(written.die_before_emptying(0));
    DumpBuilder emptying = build_from_text(small_story, options);
    check(emptying.die_while_emptying(0));
    for (const size_t bytes : {0, 20, 1000}) {
        DumpBuilder torn = build_from_text(small_story, options);
        CHECK(check(torn.die_while_writing_chunk(0, bytes)) == (bytes == 0 ? 1 : 2));
    }
    DumpBuilder reserved = build_from_text(small_story, options);
    check(reserved.reserve(1000));
}

// Three threads that began at once, beside one whose ring was empty at this moment, left this.
TEST_CASE("killed while threads were adding their rings, nothing is lost and nothing is damaged") {
    const auto check = [](DumpBuilder& dump, size_t remarks) {
        const Model model = load_bytes(dump.bytes());
        CHECK(problems_of(model).empty());
        CHECK(live_bytes(model) == 57);
        CHECK(model.notes.size() == remarks);
    };
    for (const size_t in_ring : {0, 4}) {
        TextOptions options;
        options.ring_records = in_ring;
        const size_t remarks = load_story(small_story, options).notes.size();
        for (int sums = 0; sums <= 2; ++sums) {
            DumpBuilder one = build_from_text(small_story, options);
            check(one.die_while_adding_ring(sums), remarks);
            check(one.die_while_adding_ring(2).die_while_adding_ring(sums), remarks);
        }
    }
    TextOptions options;
    options.ring_records = 4;
    const size_t remarks = load_story(small_story, options).notes.size() + 1;  // of the torn chunk
    DumpBuilder before = build_from_text(small_story, options);
    check(before.die_while_adding_ring().die_while_writing_chunk(0, 20), remarks);
    DumpBuilder after = build_from_text(small_story, options);
    check(after.die_while_writing_chunk(0, 1000).die_while_adding_ring(), remarks);
}

TEST_CASE("something beside the sums of a ring without a header is damage") {
    for (const uint64_t place : {0, 64, 100, 192, 300}) {
        TextOptions options;
        options.ring_records = 0;
        DumpBuilder dump = build_from_text(small_story, options);
        const uint64_t ring = dump.end();
        Bytes bytes = dump.die_while_adding_ring().bytes();
        bytes[ring + place] = 1;
        CHECK_THAT(problems_of(load_bytes(bytes)), Contains("belong to no readable frame"));
    }
}

TEST_CASE("killed while a record was being written: that one did not happen") {
    const AnyRecord records[] = {
        Acquire{40, Api::malloc, 0, 1000, 0x9000},
        Note{40, "subject", "a text that needs a few slots to be written down"}};
    for (const AnyRecord& record : records) {
        for (uint32_t slots = 1; slots <= slots_of(record).size(); ++slots) {
            TextOptions options;
            options.ring_records = 3;
            DumpBuilder dump = build_from_text(small_story, options);
            dump.die_while_writing_record(0, record, slots);
            const Model model = load_bytes(dump.bytes());
            CHECK(problems_of(model).empty());
            CHECK(live_bytes(model) == 57);
        }
    }
}

TEST_CASE("a head that cannot be is replaced by what the slots say") {
    for (const uint64_t head : {0, 3, 8, 9, 10, 13, 20, 70, 72, 5000}) {
        INFO("head " << head);
        const Model model = with_index(offsetof(RingHeader, head), head);
        CHECK(model.damaged);
        CHECK_THAT(problems_of(model), Contains("head is slot"));
        CHECK(live_bytes(model) == 12);
    }
}

// Exchanged headers of two rings once left such indices.
TEST_CASE(
    "a ring that is full, with a tail long past and a head that cannot be, is read to its end") {
    DumpBuilder dump;
    dump.settings.ring_slots = 64;
    for (uint64_t i = 0; i < 100; ++i) {
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
        if (i == 35) dump.end_chunk(0);
    }
    REQUIRE(dump.tail(0) == 36);
    REQUIRE(dump.head(0) == 100);
    Bytes bytes = dump.bytes();
    const uint64_t ring = dump.slot_offset(0, 0) - sizeof(RingHeader), tail = 0, head = 5000;
    std::memcpy(bytes.data() + ring + offsetof(RingHeader, tail), &tail, sizeof tail);
    std::memcpy(bytes.data() + ring + offsetof(RingHeader, head), &head, sizeof head);
    const Model model = load_bytes(bytes);
    CHECK(model.damaged);
    CHECK_THAT(problems_of(model), Contains("head is slot 5000, which cannot be"));
    CHECK(live_bytes(model) >= 64);
}

TEST_CASE("a record that is complete, but was not published before its thread was killed, counts") {
    const Model model = with_index(offsetof(RingHeader, head), 11);
    CHECK(problems_of(model).empty());
    CHECK(live_bytes(model) == 12);
}

TEST_CASE("a tail that cannot be is replaced by where the chunks end") {
    for (const uint64_t tail : {1, 5, 7, 9, 11, 13, 70, 5000}) {
        INFO("tail " << tail);
        const Model model = with_index(offsetof(RingHeader, tail), tail);
        CHECK(model.damaged);
        CHECK_THAT(problems_of(model), Contains("tail is slot"));
        CHECK(live_bytes(model) == 12);
    }
}

TEST_CASE("a record that was being written is told from one that is damaged") {
    DumpBuilder dump = twelve_blocks();
    const Bytes bytes = dump.bytes();
    const auto with_byte = [&](uint64_t slot, size_t byte, uint8_t value) {
        Bytes changed = bytes;
        changed[dump.slot_offset(0, slot) + byte] ^= value;
        return load_bytes(changed);
    };
    // A slot without a tag is being written, whatever it contains, even if its check is right by
    // chance.
    for (unsigned value = 1; value < 256; ++value) {
        INFO("value " << value);
        CHECK(problems_of(with_byte(12, 8, static_cast<uint8_t>(value))).empty());
    }
    CHECK_THAT(problems_of(with_byte(12, 0, 0x17)), Contains("written"));
    CHECK_THAT(problems_of(with_byte(13, 8, 0x17)), Contains("empty ones must be"));
    CHECK_THAT(problems_of(with_byte(10, 8, 0x17)), Contains("1 slots in the ring"));
    CHECK_THAT(problems_of(with_byte(7, 8, 0x17)), Contains("empty ones must be"));
}

TEST_CASE("when the program has ended by itself, nobody was writing") {
    TextOptions options;
    options.ring_records = 3;
    options.settings.state = State::ended;
    DumpBuilder dump = build_from_text(
        "thread_start lane=0 tid=1\n"
        "acquire lane=0 time=10 size=1 address=0x1000\n"
        "end lane=0 time=20 kind=exit\n",
        options);
    dump.die_while_writing_record(0, Acquire{30, Api::malloc, 0, 1, 0x2000}, 1);
    CHECK_THAT(problems_of(load_bytes(dump.bytes())), Contains("nothing to write any more"));
    // Another thread may have been writing when the first thread ended the program.
    dump.add(1, ThreadStart{5, 2});
    DumpBuilder two = build_from_text(
        "thread_start lane=0 tid=1\n"
        "thread_start lane=1 tid=2\n"
        "end lane=0 time=20 kind=exit\n",
        options);
    two.die_while_writing_record(1, Acquire{30, Api::malloc, 0, 1, 0x2000}, 1);
    CHECK(problems_of(load_bytes(two.bytes())).empty());
}

namespace {

// Returns three hundred blocks in the ring of lane 0, and as many in that of lane 1.
DumpBuilder two_long_rings() {
    DumpBuilder::Settings settings;
    settings.ring_slots = 512;
    DumpBuilder dump(settings);
    for (uint64_t i = 0; i < 300; ++i) {
        for (const uint32_t lane : {0, 1})
            dump.add(lane, Acquire{10 + i, Api::malloc, 0, 1 + i, 0x10000 + 32 * i + 16 * lane});
    }
    return dump;
}

}  // namespace

TEST_CASE("slots that are sound one by one, and not the ones that were written, do not add up") {
    DumpBuilder dump = two_long_rings();
    const Bytes bytes = dump.bytes();
    CHECK(problems_of(load_bytes(bytes)).empty());
    const auto with = [&](uint32_t lane, uint64_t slot, uint64_t from, size_t begin, size_t size) {
        Bytes changed = bytes;
        std::memcpy(changed.data() + dump.slot_offset(lane, slot) + begin, bytes.data() + from,
                    size);
        return problems_of(load_bytes(changed));
    };
    const uint64_t size_of_40 = dump.slot_offset(0, 40) + 16;
    INFO("the slot of 256 slots before, which has the same check");
    CHECK_THAT(with(0, 290, dump.slot_offset(0, 34), 0, slot_bytes), Contains("add up"));
    INFO("the slot of another lane");
    CHECK_THAT(with(0, 290, dump.slot_offset(1, 290), 0, slot_bytes), Contains("add up"));
    INFO("two bytes of a slot exchanged");
    Bytes exchanged = bytes;
    std::swap(exchanged[size_of_40], exchanged[size_of_40 + 1]);
    CHECK_THAT(problems_of(load_bytes(exchanged)), Contains("add up"));
}

TEST_CASE("the rings of two lanes exchanged do not add up") {
    DumpBuilder dump = two_long_rings();
    Bytes bytes = dump.bytes();
    const auto payload = [&](size_t ring) {
        return bytes.begin() + static_cast<ptrdiff_t>(dump.places()[ring].offset) +
               section_alignment;
    };
    std::swap_ranges(payload(0), payload(0) + sizeof(RingHeader) + 512 * slot_bytes, payload(1));
    CHECK_THAT(problems_of(load_bytes(bytes)), Contains("add up"));
}

TEST_CASE("zeros in the place of a ring do not pass for a ring that nobody has written to") {
    DumpBuilder dump = two_long_rings();
    Bytes bytes = dump.bytes();
    const auto ring = bytes.begin() + static_cast<ptrdiff_t>(dump.places()[0].offset);
    std::fill_n(ring + section_alignment, sizeof(RingHeader) + 512 * slot_bytes, uint8_t{0});
    CHECK_THAT(problems_of(load_bytes(bytes)), Contains("Zeros stand in the place of the ring"));
}

TEST_CASE("a sum that is damaged itself is reported, and no event is lost for it") {
    for (const uint64_t sum : {offsetof(RingHeader, head_sum), offsetof(RingHeader, tail_sum)}) {
        const Model model = with_index(sum, 4711);
        CHECK_THAT(problems_of(model), Contains("add up"));
        CHECK(live_bytes(model) == 12);
    }
}
