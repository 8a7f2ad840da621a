// SPDX-License-Identifier: Apache-2.0
#include "memtrace/dump/slots.h"

#include "analyzer/reader/event.h"
#include "tests/tools/dump_builder.h"
#include "tests/tools/random_records.h"
#include "tests/unit/test.h"

using namespace memtrace;
using test::RandomRecords;

namespace {

struct Ring {
    std::vector<Slot> slots;
    uint64_t first = 0;

    void add(const analyzer::AnyRecord& record) {
        for (Slot slot : test::slots_of(record)) {
            seal_slot(slot, first + slots.size());
            slots.push_back(slot);
        }
    }
    template <class Visit, class Damaged>
    void read(Visit&& visit, Damaged&& damaged) const {
        uint8_t row[record_slots_max * slot_payload_bytes];
        uint64_t time = 0;
        read_slots(
            first, first + slots.size(), row, time,
            [&](uint64_t number) -> const Slot& { return slots[number - first]; }, visit,
            [](uint8_t) { FAIL("an unknown tag"); }, damaged, [](uint64_t) { return true; });
    }
};

}  // namespace

TEST_CASE("every record comes back from ring slots as it was") {
    RandomRecords random(5);
    Ring ring;
    ring.first = 1000;
    std::vector<analyzer::AnyRecord> written;
    uint64_t time = 1;
    for (int i = 0; i < 3000; ++i) {
        time += random.number(20);
        random.any(time, [&](auto record) {
            if constexpr (requires { record.module; }) record.module &= 0xffffff;
            ring.add(record);
            written.push_back(record);
        });
    }
    size_t index = 0;
    uint64_t last_time = 0;
    ring.read(
        [&](const auto& record) {
            using Record = std::decay_t<decltype(record)>;
            REQUIRE(index < written.size());
            const Record* expected = std::get_if<Record>(&written[index++]);
            REQUIRE(expected != nullptr);
            Record copy = *expected;
            // A node in one slot has no time of its own.
            if (std::is_same_v<Record, Node>) copy.time = record.time;
            REQUIRE(test::equal_records(copy, record));
            REQUIRE(record.time >= last_time);
            last_time = record.time;
        },
        [](uint64_t number) { FAIL("slot " << number); });
    CHECK(index == written.size());
}

TEST_CASE("one changed byte makes a slot unsound, whichever it is") {
    RandomRecords random(6);
    for (int i = 0; i < 300; ++i) {
        Slot slot = pack_slot(random.record<Acquire>(random.number(50)));
        const uint64_t number = random.number(40);
        seal_slot(slot, number);
        REQUIRE(slot_is_sound(slot, number));
        for (size_t byte = 0; byte < slot_bytes; ++byte) {
            Slot changed = slot;
            reinterpret_cast<uint8_t*>(changed.words)[byte] ^=
                static_cast<uint8_t>(1 + random.below(255));
            REQUIRE_FALSE(slot_is_sound(changed, number));
        }
    }
}

TEST_CASE("a slot that is left over from an earlier lap is unsound") {
    Slot slot = pack_slot(Release{10, Api::free, 0x1000});
    seal_slot(slot, 17);
    for (uint64_t lap = 1; lap < 20; ++lap) CHECK_FALSE(slot_is_sound(slot, 17 + 8 * lap));
}

TEST_CASE("a damaged slot spoils its own record only") {
    Ring ring;
    for (uint64_t i = 0; i < 10; ++i) ring.add(Acquire{10 + i, Api::malloc, 1, 8, 0x1000 + 16 * i});
    ring.add(
        Note{30, "subject", "a text that needs more than one slot, so that the middle can be hit"});
    ring.add(Release{40, Api::free, 0x1000});
    ring.slots[3].words[1] ^= 0x100;
    ring.slots[12].words[2] ^= 0x100;
    std::vector<uint64_t> bad;
    size_t good = 0;
    ring.read([&](const auto&) { ++good; }, [&](uint64_t number) { bad.push_back(number); });
    CHECK(good == 10);  // nine acquisitions and the release
    CHECK(bad.size() ==
          1 + test::slots_of(
                  Note{30, "subject",
                       "a text that needs more than one slot, so that the middle can be hit"})
                  .size());
    CHECK(bad.front() == 3);
}
