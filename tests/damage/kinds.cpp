// SPDX-License-Identifier: Apache-2.0
#include "tests/damage/kinds.h"

#include <algorithm>
#include <cstring>

namespace memtrace::test {
namespace {

uint64_t below(Random& random, uint64_t limit) { return limit == 0 ? 0 : random() % limit; }

template <class T>
const T& one_of(Random& random, const std::vector<T>& list) {
    return list[below(random, list.size())];
}

struct Region {
    uint64_t begin;
    uint64_t end;
    uint64_t size() const { return end - begin; }
};

// Damage of disks is aligned to blocks, that of memory to words, and that of copies to nothing.
uint64_t alignment(Random& random) {
    return one_of<uint64_t>(random, {1, 8, slot_bytes, section_alignment, 512, page_bytes});
}

// As many short regions as long ones: a region of up to 2, 4, 8, … bytes.
uint64_t some_size(Random& random, uint64_t size_max) {
    uint64_t limit = 2;
    while (limit < size_max && below(random, 12) != 0) limit *= 2;
    return 1 + below(random, std::min(limit, size_max));
}

Region some_region(const Bytes& bytes, Random& random, uint64_t align) {
    const uint64_t begin = below(random, bytes.size()) / align * align;
    uint64_t size = some_size(random, uint64_t{1} << 16);
    size = (size + align - 1) / align * align;
    return {begin, std::min<uint64_t>(begin + size, bytes.size())};
}

Region some_page(const Bytes& bytes, Random& random) {
    const uint64_t begin = below(random, bytes.size()) / page_bytes * page_bytes;
    return {begin, std::min<uint64_t>(begin + page_bytes, bytes.size())};
}

Region some_section(const Patient& patient, Random& random) {
    const Patient::Section& section = one_of(random, patient.sections);
    return {section.begin, section.end};
}

Region header_of(const Region& section) {
    return {section.begin, section.begin + section_alignment};
}

auto at(Bytes& bytes, uint64_t offset) { return bytes.begin() + static_cast<ptrdiff_t>(offset); }

void set_bytes(Bytes& bytes, const Region& region, uint8_t value) {
    std::fill(at(bytes, region.begin), at(bytes, region.end), value);
}

void copy_over(Bytes& bytes, const Region& from, uint64_t to) {
    const uint64_t size = std::min<uint64_t>(from.size(), bytes.size() - to);
    std::memmove(bytes.data() + to, bytes.data() + from.begin, size);
}

// Exchanges two regions of the same size; nothing if they overlap.
void exchange(Bytes& bytes, const Region& one, uint64_t other) {
    const uint64_t size = std::min<uint64_t>(one.size(), bytes.size() - other);
    if (other < one.begin + size && one.begin < other + size) return;
    std::swap_ranges(at(bytes, one.begin), at(bytes, one.begin + size), at(bytes, other));
}

void insert(Bytes& bytes, uint64_t where, const Bytes& more) {
    bytes.insert(at(bytes, where), more.begin(), more.end());
}

Bytes copy_of(Bytes& bytes, const Region& region) {
    return Bytes(at(bytes, region.begin), at(bytes, region.end));
}

void take_out(Bytes& bytes, const Region& region) {
    bytes.erase(at(bytes, region.begin), at(bytes, region.end));
}

// ---- the kinds ----------------------------------------------------------------------------------

void flip_bit(Patient& patient, Random& random) {
    const auto bit = static_cast<uint8_t>(1u << below(random, 8));
    patient.bytes[below(random, patient.bytes.size())] ^= bit;
}

void change_byte(Patient& patient, Random& random) {
    const auto change = static_cast<uint8_t>(1 + below(random, 255));
    patient.bytes[below(random, patient.bytes.size())] ^= change;
}

void change_several(Patient& patient, Random& random) {
    const uint64_t begin = below(random, patient.bytes.size());
    const uint64_t end = std::min(begin + 2 + below(random, 63), patient.bytes.size());
    for (uint64_t i = begin; i < end; ++i) patient.bytes[i] = static_cast<uint8_t>(random());
}

void flip_bits_anywhere(Patient& patient, Random& random) {
    for (uint64_t n = 2 + below(random, 6); n > 0; --n) flip_bit(patient, random);
}

void cut_end(Patient& patient, Random& random) {
    const uint64_t align = alignment(random);
    patient.bytes.resize(below(random, patient.bytes.size()) / align * align);
}

void cut_at_section(Patient& patient, Random& random) {
    const Region section = some_section(patient, random);
    patient.bytes.resize(
        one_of<uint64_t>(random, {section.begin, section.begin + section_alignment, section.end}));
}

void zero_region(Patient& patient, Random& random) {
    set_bytes(patient.bytes, some_region(patient.bytes, random, alignment(random)), 0);
}

void zero_the_rest(Patient& patient, Random& random) {
    const uint64_t begin = some_region(patient.bytes, random, alignment(random)).begin;
    set_bytes(patient.bytes, {begin, patient.bytes.size()}, 0);
}

void fill_region(Patient& patient, Random& random) {
    const auto value = one_of<uint8_t>(random, {0xff, 0x20, 0x55, 0x01});
    set_bytes(patient.bytes, some_region(patient.bytes, random, alignment(random)), value);
}

void move_region(Patient& patient, Random& random) {
    const uint64_t align = alignment(random);
    const Region from = some_region(patient.bytes, random, align);
    copy_over(patient.bytes, from, below(random, patient.bytes.size()) / align * align);
}

// As a copy does that lost some bytes and found its place again.
void shift_region(Patient& patient, Random& random) {
    const Region from = some_region(patient.bytes, random, alignment(random));
    const uint64_t by = one_of<uint64_t>(random, {1, 2, 8, slot_bytes, section_alignment});
    const bool up = below(random, 2) == 0;
    if (!up && from.begin < by) return;
    if (up && from.begin + by >= patient.bytes.size()) return;
    copy_over(patient.bytes, from, up ? from.begin + by : from.begin - by);
}

void exchange_regions(Patient& patient, Random& random) {
    const uint64_t align = alignment(random);
    const Region one = some_region(patient.bytes, random, align);
    exchange(patient.bytes, one, below(random, patient.bytes.size()) / align * align);
}

void exchange_words(Patient& patient, Random& random) {
    const uint64_t begin = below(random, patient.bytes.size()) / 8 * 8;
    const uint64_t other = begin + 8 * (1 + below(random, 6));
    if (other + 8 <= patient.bytes.size()) exchange(patient.bytes, {begin, begin + 8}, other);
}

void double_region(Patient& patient, Random& random) {
    const Region region = some_region(patient.bytes, random, alignment(random));
    insert(patient.bytes, region.end, copy_of(patient.bytes, region));
}

void insert_region(Patient& patient, Random& random) {
    const uint64_t align = alignment(random);
    const uint64_t where = below(random, patient.bytes.size()) / align * align;
    Bytes more = copy_of(patient.bytes, some_region(patient.bytes, random, align));
    switch (below(random, 4)) {
        case 0: std::fill(more.begin(), more.end(), 0); break;
        case 1: std::fill(more.begin(), more.end(), 0xff); break;
        case 2:
            for (uint8_t& byte : more) byte = static_cast<uint8_t>(random());
            break;
        default: break;  // from elsewhere in the dump
    }
    insert(patient.bytes, where, more);
}

void take_out_region(Patient& patient, Random& random) {
    take_out(patient.bytes, some_region(patient.bytes, random, alignment(random)));
}

void zero_page(Patient& patient, Random& random) {
    set_bytes(patient.bytes, some_page(patient.bytes, random), 0);
}

void copy_page(Patient& patient, Random& random) {
    const Region from = some_page(patient.bytes, random);
    copy_over(patient.bytes, from, some_page(patient.bytes, random).begin);
}

void exchange_pages(Patient& patient, Random& random) {
    const Region one = some_page(patient.bytes, random);
    exchange(patient.bytes, one, some_page(patient.bytes, random).begin);
}

void change_file_header(Patient& patient, Random& random) {
    const uint64_t begin = below(random, sizeof(FileHeader));
    const uint64_t size = std::min(some_size(random, 64), sizeof(FileHeader) - begin);
    const auto how = below(random, 3);
    for (uint64_t i = begin; i < begin + size; ++i) {
        patient.bytes[i] = how == 0 ? 0 : how == 1 ? 0xff : static_cast<uint8_t>(random());
    }
}

void zero_header(Patient& patient, Random& random) {
    set_bytes(patient.bytes, header_of(some_section(patient, random)), 0);
}

void change_header(Patient& patient, Random& random) {
    const Region header = header_of(some_section(patient, random));
    const uint64_t begin = header.begin + below(random, header.size());
    const uint64_t end = std::min(begin + 1 + below(random, 8), header.end);
    for (uint64_t i = begin; i < end; ++i) patient.bytes[i] = static_cast<uint8_t>(random());
}

void copy_header(Patient& patient, Random& random) {
    const Region from = header_of(some_section(patient, random));
    copy_over(patient.bytes, from, some_section(patient, random).begin);
}

void exchange_headers(Patient& patient, Random& random) {
    const Region one = header_of(some_section(patient, random));
    exchange(patient.bytes, one, some_section(patient, random).begin);
}

void zero_section(Patient& patient, Random& random) {
    set_bytes(patient.bytes, some_section(patient, random), 0);
}

void take_out_section(Patient& patient, Random& random) {
    take_out(patient.bytes, some_section(patient, random));
}

void double_section(Patient& patient, Random& random) {
    const Region section = some_section(patient, random);
    const uint64_t where = below(random, 2) == 0 ? section.end : some_section(patient, random).end;
    insert(patient.bytes, where, copy_of(patient.bytes, section));
}

// Over another section, and what is left of that is zeros.
void replace_section(Patient& patient, Random& random) {
    const Region from = some_section(patient, random);
    const Region to = some_section(patient, random);
    const Bytes copy = copy_of(patient.bytes, from);
    set_bytes(patient.bytes, to, 0);
    const uint64_t size = std::min<uint64_t>(copy.size(), patient.bytes.size() - to.begin);
    std::memcpy(patient.bytes.data() + to.begin, copy.data(), size);
}

void exchange_sections(Patient& patient, Random& random) {
    Region one = some_section(patient, random);
    Region other = some_section(patient, random);
    if (other.begin < one.begin) std::swap(one, other);
    if (one.begin == other.begin) return;
    const Bytes first = copy_of(patient.bytes, one);
    const Bytes second = copy_of(patient.bytes, other);
    take_out(patient.bytes, other);
    insert(patient.bytes, other.begin, first);
    take_out(patient.bytes, one);
    insert(patient.bytes, one.begin, second);
}

}  // namespace

const std::vector<DamageKind>& damage_kinds() {
    static const std::vector<DamageKind> kinds = {
        {"one bit flipped", flip_bit},
        {"one byte changed", change_byte},
        {"bytes in a row changed", change_several},
        {"several bits flipped", flip_bits_anywhere},
        {"cut off at any byte", cut_end},
        {"cut off at a section", cut_at_section},
        {"a region zeroed", zero_region},
        {"all from somewhere on zeroed", zero_the_rest},
        {"a region filled", fill_region},
        {"a region moved over another", move_region},
        {"a region shifted", shift_region},
        {"two regions exchanged", exchange_regions},
        {"two words exchanged", exchange_words},
        {"a region doubled", double_region},
        {"a region inserted", insert_region},
        {"a region taken out", take_out_region},
        {"a page zeroed", zero_page},
        {"a page moved over another", copy_page},
        {"two pages exchanged", exchange_pages},
        {"the file header changed", change_file_header},
        {"a section's header zeroed", zero_header},
        {"a section's header changed", change_header},
        {"a section's header moved over another", copy_header},
        {"two sections' headers exchanged", exchange_headers},
        {"a section zeroed", zero_section},
        {"a section taken out", take_out_section},
        {"a section doubled", double_section},
        {"a section in place of another", replace_section},
        {"two sections exchanged", exchange_sections},
    };
    return kinds;
}

Patient make_patient(const Bytes& whole) {
    Patient patient{whole, {}};
    for (uint64_t offset = page_bytes; offset + section_alignment <= whole.size();) {
        SectionHeader header;
        std::memcpy(&header, whole.data() + offset, sizeof header);
        if (header.magic != section_magic) {
            offset += section_alignment;
            continue;
        }
        const uint64_t room = whole.size() - offset - section_alignment;
        const uint64_t payload = std::min<uint64_t>(header.stored_bytes, room);
        const uint64_t end = align_section(offset + section_alignment + payload);
        patient.sections.push_back({offset, std::min<uint64_t>(end, whole.size())});
        offset = end;
    }
    return patient;
}

Bytes damaged(const Patient& whole, const DamageKind& kind, uint64_t seed) {
    constexpr int tries = 1000;
    Random random(seed);
    for (int i = 0; i < tries; ++i) {
        Patient patient = whole;
        kind.apply(patient, random);
        if (patient.bytes != whole.bytes) return std::move(patient.bytes);
    }
    return whole.bytes;
}

}  // namespace memtrace::test
