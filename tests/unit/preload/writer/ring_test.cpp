// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/ring.h"

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace;
using preload::Ring;

namespace {

struct SharedPages {
    alignas(64) unsigned char bytes[sizeof(RingHeader) + 8 * sizeof(Slot)] = {};
    RingHeader& header() { return *reinterpret_cast<RingHeader*>(bytes); }
    Slot* slots() { return reinterpret_cast<Slot*>(bytes + sizeof(RingHeader)); }
};

// True if the slots [tail, head) of lane 3 add up to what the header says.
bool adds_up(SharedPages& pages) {
    const RingHeader& header = pages.header();
    uint64_t sum = 0;
    for (uint64_t number = header.tail; number < header.head; ++number)
        sum += slot_sum(pages.slots()[number % 8], number, 3);
    return sum == header.head_sum - header.tail_sum;
}

Slot release_of(uint64_t address) { return pack_slot(Release{1, Api::free, address}); }

}  // namespace

TEST_CASE("what is put is visible to a reader of the pages", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8, 0);
    ring.put(release_of(0x10));
    ring.put(release_of(0x20));
    CHECK(pages.header().head == 2);
    CHECK(slot_is_sound(pages.slots()[1], 1));
    CHECK(pages.slots()[1].words[0] >> 16 == 0x20);
}

TEST_CASE("a staged record is invisible until it is published as a whole", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8, 0);
    ring.stage(0, release_of(0x10));
    ring.stage(1, release_of(0x20));
    CHECK(pages.header().head == 0);
    ring.publish(2);
    CHECK(pages.header().head == 2);
    CHECK(slot_is_sound(pages.slots()[0], 0));
}

TEST_CASE("drained slots are zero again, and the numbers go on past the capacity", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8, 0);
    for (uint64_t i = 0; i < 8; ++i) ring.put(release_of(0x100 + i));
    CHECK(ring.free_slots() == 0);
    ring.release_until(8);
    CHECK(pages.header().tail == 8);
    for (int i = 0; i < 8; ++i) CHECK(slot_is_zero(pages.slots()[i]));
    ring.put(release_of(0x999));
    CHECK(slot_is_sound(pages.slots()[0], 8));
    CHECK_FALSE(slot_is_sound(pages.slots()[0], 0));  // a slot contains its number
}

TEST_CASE("what is visible always adds up to the sums of the header", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8, 3);
    CHECK(adds_up(pages));
    for (uint64_t i = 0; i < 5; ++i) {
        ring.put(release_of(0x100 + i));
        CHECK(adds_up(pages));
    }
    ring.stage(0, release_of(0x200));
    ring.stage(1, release_of(0x201));
    CHECK(adds_up(pages));
    ring.publish(7);
    CHECK(adds_up(pages));
    ring.release_until(4);
    CHECK(adds_up(pages));
    ring.put(release_of(0x300));
    CHECK(adds_up(pages));
    ring.release_until(8);
    CHECK(adds_up(pages));
    CHECK(pages.header().head_sum == pages.header().tail_sum);
}

TEST_CASE("sums go on from where they began", "[ring]") {
    SharedPages pages;
    pages.header().head_sum = pages.header().tail_sum = ring_sums_begin;
    Ring ring(pages.bytes, 8, 3);
    ring.put(release_of(0x100));
    CHECK(adds_up(pages));
    ring.release_until(1);
    CHECK(adds_up(pages));
    CHECK(pages.header().tail_sum != 0);
}

TEST_CASE("after a jump out of a half-done step the sums fit again", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8, 3);
    for (uint64_t i = 0; i < 6; ++i) ring.put(release_of(0x100 + i));
    pages.header().head_sum += 17;
    ring.finish_after_jump();
    CHECK(adds_up(pages));
    CHECK(pages.header().head == 6);
    ring.release_until(6);
    ring.put(release_of(0x400));
    CHECK(adds_up(pages));
}
