// SPDX-License-Identifier: Apache-2.0
//
// Parts of a dump are nothing but zeros, as after a crash of the machine or a bad copy. Zeros look
// like room that was never written, so only the count of the sections tells that something was
// there.
#include <algorithm>

#include "tests/damage/dumps.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Model;

namespace {

Bytes with_zeros(const Victim& victim, uint64_t begin, uint64_t end) {
    Bytes bytes = victim.bytes;
    std::fill(bytes.begin() + static_cast<ptrdiff_t>(begin),
              bytes.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(end, bytes.size())), 0);
    return bytes;
}

}  // namespace

TEST_CASE("a section without its header, or wholly zero, is missed") {
    for (const Victim& victim : make_victims(50)) {
        for (const DumpBuilder::Place& place : victim.places) {
            for (const uint64_t end : {place.offset + section_alignment, place.end}) {
                INFO(victim.name << ", zeros from " << place.offset << " to " << end);
                CHECK(load_bytes(with_zeros(victim, place.offset, end)).damaged);
            }
        }
    }
}

TEST_CASE("a dump of which nothing is left but its header is damaged") {
    for (const Victim& victim : make_victims(51)) {
        INFO(victim.name);
        const Model model = load_bytes(with_zeros(victim, page_bytes, victim.bytes.size()));
        CHECK(model.damaged);
    }
}

TEST_CASE(
    "a header that counts no section, with none behind it, is a dump to which nothing was "
    "written") {
    DumpBuilder builder;
    builder.settings.with_rings = false;
    CHECK(load_bytes(builder.bytes()).damaged);
}
