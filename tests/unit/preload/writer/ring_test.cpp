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

Slot release_of(uint64_t address) { return pack_slot(Release{1, Api::free, address}); }

}  // namespace

TEST_CASE("what is put is visible to a reader of the pages", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8);
    ring.put(release_of(0x10));
    ring.put(release_of(0x20));
    CHECK(pages.header().head == 2);
    CHECK(slot_is_sound(pages.slots()[1], 1));
    CHECK(pages.slots()[1].words[0] >> 16 == 0x20);
}

TEST_CASE("a staged record is invisible until it is published as a whole", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8);
    ring.stage(0, release_of(0x10));
    ring.stage(1, release_of(0x20));
    CHECK(pages.header().head == 0);
    ring.publish(2);
    CHECK(pages.header().head == 2);
    CHECK(slot_is_sound(pages.slots()[0], 0));
}

TEST_CASE("drained slots are zero again, and the numbers go on past the capacity", "[ring]") {
    SharedPages pages;
    Ring ring(pages.bytes, 8);
    for (uint64_t i = 0; i < 8; ++i) ring.put(release_of(0x100 + i));
    CHECK(ring.free_slots() == 0);
    ring.release_until(8);
    CHECK(pages.header().tail == 8);
    for (int i = 0; i < 8; ++i) CHECK(slot_is_zero(pages.slots()[i]));
    ring.put(release_of(0x999));
    CHECK(slot_is_sound(pages.slots()[0], 8));
    CHECK_FALSE(slot_is_sound(pages.slots()[0], 0));  // a slot contains its number
}
