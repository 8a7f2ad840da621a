// SPDX-License-Identifier: Apache-2.0
//
// A dump, from its first byte to a report. A plain change would not come past the checksums, so
// inputs are changed inside: a section's unpacked payload, a slot, a header, the order of sections.
// Then all checksums and counts are made to fit.
#include <algorithm>
#include <cstring>

#include <zstd.h>

#include "memtrace/dump/hash.h"
#include "tests/damage/kinds.h"
#include "tests/fuzz/report_run.h"
#include "tests/fuzz/targets.h"

namespace memtrace::test {
namespace {

constexpr size_t raw_max = 1 << 18;  // of a chunk that is unpacked here

template <class T>
T load(const Bytes& bytes, uint64_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

template <class T>
void store(Bytes& bytes, uint64_t offset, const T& value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

uint64_t payload_bytes(const Bytes& bytes, uint64_t section, const SectionHeader& header) {
    return std::min<uint64_t>(header.stored_bytes, bytes.size() - section - section_alignment);
}

// Seals the slots again and adds them up.
void mend_ring(Bytes& bytes, uint64_t section, const SectionHeader& header) {
    const uint64_t payload = section + section_alignment;
    const uint64_t slots = payload + sizeof(RingHeader);
    const uint64_t capacity = header.slot_count;
    if (capacity == 0 || slots + capacity * slot_bytes > bytes.size()) return;
    auto ring = load<RingHeader>(bytes, payload);
    if (ring.head < ring.tail || ring.head - ring.tail > capacity) return;
    uint64_t sum = ring.tail_sum;
    for (uint64_t number = ring.tail; number < ring.head; ++number) {
        const uint64_t at = slots + number % capacity * slot_bytes;
        auto slot = load<Slot>(bytes, at);
        slot.words[0] &= ~uint64_t{0xff00};
        seal_slot(slot, number);
        sum += slot_sum(slot, number, header.lane);
        store(bytes, at, slot);
    }
    ring.head_sum = sum;
    store(bytes, payload, ring);
}

void mend_section(Bytes& bytes, uint64_t section) {
    StoredSectionHeader stored{load<SectionHeader>(bytes, section), 0};
    const uint64_t size = payload_bytes(bytes, section, stored.header);
    if (stored.header.kind == SectionKind::ring) mend_ring(bytes, section, stored.header);
    else
        stored.header.payload_checksum =
            static_cast<uint32_t>(hash_bytes(bytes.data() + section + section_alignment, size));
    stored.checksum = hash_bytes(&stored.header, sizeof stored.header);
    store(bytes, section, stored);
}

void mend(Bytes& bytes) {
    if (bytes.size() < page_bytes) return;
    bytes.resize(align_section(bytes.size()));
    const Patient found = make_patient(bytes);
    for (const Patient::Section& section : found.sections) mend_section(bytes, section.begin);
    auto header = load<FileHeader>(bytes, 0);
    std::memcpy(header.magic, file_magic, sizeof header.magic);
    header.version = 1 + header.version % format_version;
    header.features &= features_known;
    header.checksum = hash_bytes(&header, header_checksum_offset);
    header.file_end = bytes.size();
    const bool has_twins = header.version >= version_of_twins;
    header.lost_events_left =
        has_twins ? lost_events_whole - header.lost_events : header.lost_events;
    const auto put = [&](auto& number, uint32_t value) {
        number = number.of(value);
        if (!has_twins) number.word = uint64_t{value} << 32 | value;
    };
    uint32_t lasting = 0;
    for (const Patient::Section& section : found.sections) {
        const auto kept = load<SectionHeader>(bytes, section.begin);
        lasting += kept.kind == SectionKind::ring || kept.lane == lane_none;
    }
    put(header.state, header.state.value() % 3);
    put(header.children, header.children.value());
    put(header.sections, static_cast<uint32_t>(found.sections.size()));
    put(header.rings_and_process, lasting);
    if (header.version < version_of_ring_sums) header.rings_and_process.word = 0;
    store(bytes, 0, header);
}

// Changes the bytes [begin, end) and nothing else, and keeps their number.
void change_in_place(Bytes& bytes, uint64_t begin, uint64_t end, const ChangeBytes& change) {
    if (begin >= end) return;
    Bytes part(bytes.begin() + static_cast<ptrdiff_t>(begin),
               bytes.begin() + static_cast<ptrdiff_t>(end));
    change(part.data(), part.size(), part.size());
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<ptrdiff_t>(begin));
}

Bytes unpacked(const Bytes& bytes, uint64_t section, const SectionHeader& header) {
    const uint8_t* stored = bytes.data() + section + section_alignment;
    const uint64_t size = payload_bytes(bytes, section, header);
    if (header.packing != Packing::zstd) return Bytes(stored, stored + size);
    Bytes raw(std::min<size_t>(header.raw_bytes, raw_max));
    const size_t got = ZSTD_decompress(raw.data(), raw.size(), stored, size);
    raw.resize(ZSTD_isError(got) ? 0 : got);
    return raw;
}

// Changes what a chunk contains, and stores it unpacked.
void change_chunk(Bytes& bytes, const Patient::Section& section, size_t size_max,
                  const ChangeBytes& change) {
    auto header = load<SectionHeader>(bytes, section.begin);
    Bytes raw = unpacked(bytes, section.begin, header);
    const size_t size = raw.size();
    raw.resize(size + 64);
    raw.resize(change(raw.data(), size, raw.size()));
    header.packing = Packing::none;
    header.stored_bytes = header.raw_bytes = static_cast<uint32_t>(raw.size());
    raw.resize(align_section(raw.size()));
    const uint64_t payload = section.begin + section_alignment;
    if (bytes.size() - (section.end - payload) + raw.size() > size_max) return;
    store(bytes, section.begin, header);
    bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(payload),
                bytes.begin() + static_cast<ptrdiff_t>(section.end));
    bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(payload), raw.begin(), raw.end());
}

// Changes the first slots of a ring, which are the ones that are used.
void change_ring(Bytes& bytes, const Patient::Section& section, Random& random,
                 const ChangeBytes& change) {
    const uint64_t begin = section.begin + section_alignment;
    const uint64_t slots = begin + sizeof(RingHeader);
    if (slots >= section.end) return;  // It is too short for a ring.
    const bool in_header = random() % 8 == 0;
    const uint64_t end = in_header ? slots : slots + 32 * slot_bytes;
    change_in_place(bytes, in_header ? begin : slots, std::min(end, section.end), change);
}

void change_inside(Bytes& bytes, size_t size_max, Random& random, const ChangeBytes& change) {
    const Patient patient = make_patient(bytes);
    if (patient.sections.empty()) return;
    const Patient::Section& section = patient.sections[random() % patient.sections.size()];
    const auto header = load<SectionHeader>(bytes, section.begin);
    switch (random() % 8) {
        case 0: change_in_place(bytes, 0, sizeof(FileHeader), change); break;
        case 1:
            change_in_place(bytes, section.begin + sizeof header.magic,
                            section.begin + sizeof header, change);
            break;
        case 2: {
            const auto& kinds = damage_kinds();
            const Bytes other = damaged(patient, kinds[random() % kinds.size()], random());
            if (other.size() <= size_max && !other.empty()) bytes = other;
            break;
        }
        default:
            if (header.kind == SectionKind::ring) change_ring(bytes, section, random, change);
            else change_chunk(bytes, section, size_max, change);
    }
}

}  // namespace

size_t mutate_dump(uint8_t* data, size_t size, size_t size_max, unsigned seed,
                   const ChangeBytes& change) {
    Random random(seed);
    if (size < page_bytes + section_alignment || random() % 16 == 0)
        return change(data, size, size_max);
    Bytes bytes(data, data + size);
    change_inside(bytes, size_max, random, change);
    if (random() % 16 != 0) mend(bytes);
    const size_t new_size = std::min(bytes.size(), size_max);
    std::copy_n(bytes.begin(), new_size, data);
    return new_size;
}

void run_dump(const uint8_t* data, size_t size) { report_on(Bytes(data, data + size)); }

}  // namespace memtrace::test
