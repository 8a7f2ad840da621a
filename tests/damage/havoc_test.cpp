// SPDX-License-Identifier: Apache-2.0
//
// Much damage at once, and false values with a correct checksum. Reading must always end, must not
// take an absurd amount of memory, and must never leave the file.
#include <cstring>

#include "analyzer/base/error.h"
#include "memtrace/dump/hash.h"
#include "tests/damage/dumps.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;

namespace {

void survive(const Bytes& bytes) {
    const TempFile file(bytes);
    try {
        const analyzer::Model model = analyzer::load_dump(file.path());
        CHECK(unequal_sums(model).empty());
    } catch (const analyzer::Error& error) {
        CHECK(std::string(error.what()).size() > 20);
    }
}

// Changes a sound section header and makes its checksum correct again.
template <class Change>
void forge(Bytes& bytes, const DumpBuilder::Place& place, Change&& change) {
    StoredSectionHeader stored;
    std::memcpy(&stored, bytes.data() + place.offset, sizeof stored);
    change(stored.header);
    stored.checksum = hash_bytes(&stored.header, sizeof stored.header);
    std::memcpy(bytes.data() + place.offset, &stored, sizeof stored);
}

uint64_t odd_number(std::mt19937_64& random) {
    const uint64_t values[] = {
        0, 1, 63, 64, 0x7fffffff, 0xffffffff, ~uint64_t{0}, 1ull << 32, random(), random() % 1000};
    return values[random() % std::size(values)];
}

}  // namespace

TEST_CASE("many changed, moved and zeroed bytes") {
    std::mt19937 random(5);
    for (const Victim& victim : make_victims(50)) {
        for (int i = 0; i < 150; ++i) {
            Bytes bytes = victim.bytes;
            const auto place = [&] { return random() % bytes.size(); };
            for (unsigned n = random() % 60; n > 0; --n)
                bytes[place()] = static_cast<uint8_t>(random());
            if (random() % 3 == 0) {
                const uint64_t from = place();
                const uint64_t size = std::min<uint64_t>(random() % 5000, bytes.size() - from);
                std::memset(bytes.data() + from, random() % 2 ? 0 : 0xff, size);
            }
            if (random() % 3 == 0) {
                const uint64_t from = place() & ~uint64_t{63};
                const uint64_t to = place() & ~uint64_t{63};
                const uint64_t size =
                    std::min({uint64_t{4096}, bytes.size() - from, bytes.size() - to});
                std::memmove(bytes.data() + to, bytes.data() + from, size);
            }
            survive(bytes);
        }
    }
}

TEST_CASE("frame headers that lie with a correct checksum") {
    std::mt19937_64 random(6);
    for (const Victim& victim : make_victims(60)) {
        for (int i = 0; i < 300; ++i) {
            Bytes bytes = victim.bytes;
            const DumpBuilder::Place& place = victim.places[random() % victim.places.size()];
            forge(bytes, place, [&](SectionHeader& header) {
                const uint64_t value = odd_number(random);
                switch (random() % 9) {
                    case 0: header.stored_bytes = static_cast<uint32_t>(value); break;
                    case 1: header.raw_bytes = static_cast<uint32_t>(value); break;
                    case 2: header.lane = static_cast<uint32_t>(value); break;
                    case 3: header.record_count = static_cast<uint32_t>(value); break;
                    case 4: header.first_slot = value; break;
                    case 5: header.slot_count = static_cast<uint32_t>(value); break;
                    case 6: header.kind = static_cast<SectionKind>(value); break;
                    case 7: header.packing = static_cast<Packing>(value); break;
                    default: header.first_time = value; break;
                }
            });
            survive(bytes);
        }
    }
}

TEST_CASE("chunks whose bytes lie with a correct checksum") {
    std::mt19937_64 random(7);
    for (const Victim& victim : make_victims(70)) {
        for (int i = 0; i < 300; ++i) {
            Bytes bytes = victim.bytes;
            const DumpBuilder::Place& place = victim.places[random() % victim.places.size()];
            if (place.kind != SectionKind::chunk) continue;
            forge(bytes, place, [&](SectionHeader& header) {
                for (unsigned n = 1 + random() % 3; n > 0; --n) {
                    bytes[place.offset + 64 + random() % header.stored_bytes] ^=
                        static_cast<uint8_t>(1 + random() % 255);
                }
                header.payload_checksum = static_cast<uint32_t>(
                    hash_bytes(bytes.data() + place.offset + 64, header.stored_bytes));
            });
            survive(bytes);
        }
    }
}

TEST_CASE("records with absurd numbers") {
    std::mt19937_64 random(8);
    for (int i = 0; i < 200; ++i) {
        DumpBuilder dump;
        for (uint64_t n = 0; n < 60; ++n) {
            const auto small = [&] { return static_cast<uint32_t>(odd_number(random)); };
            const uint64_t time = random() % 4 == 0 ? odd_number(random) >> 1 : n;
            const auto lane = static_cast<uint32_t>(random() % 3);
            switch (random() % 8) {
                case 0:
                    dump.add(lane, Node{time, small(), small(), small(), NodeKind::truncated,
                                        odd_number(random) >> 4});
                    break;
                case 1:
                    dump.add(lane, Map{time, Api::mmap, static_cast<MapClass>(random()),
                                       odd_number(random) >> 4, odd_number(random) >> 4, small()});
                    break;
                case 2:
                    dump.add(lane,
                             Unmap{time, Api::munmap, odd_number(random) >> 4, odd_number(random)});
                    break;
                case 3:
                    dump.add(lane, Remap{time, odd_number(random), Api::mremap,
                                         odd_number(random) >> 4, odd_number(random),
                                         odd_number(random) >> 4, odd_number(random), small()});
                    break;
                case 4:
                    dump.add(lane, Resize{time, odd_number(random), Api::realloc, random() % 4 * 16,
                                          small(), odd_number(random) >> 1, random() % 4 * 16});
                    break;
                case 5:
                    dump.add(lane, Acquire{time, Api::malloc, small(), odd_number(random) >> 1,
                                           random() % 4 * 16});
                    break;
                case 6: dump.add(lane, Clock{time, odd_number(random), odd_number(random)}); break;
                default: dump.add(lane, Release{time, Api::free, random() % 4 * 16}); break;
            }
        }
        survive(dump.bytes());
    }
}
