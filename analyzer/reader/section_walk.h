// SPDX-License-Identifier: Apache-2.0
//
// Finds the sections of a dump, and what lies between them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "analyzer/reader/dump_file.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

inline SectionHeader header_at(const DumpFile& file, uint64_t offset) {
    SectionHeader header;
    std::memcpy(&header, file.data() + offset, sizeof header);
    return header;
}

inline uint64_t payload_end(uint64_t offset, const SectionHeader& header) {
    return offset + section_alignment + header.stored_bytes;
}

// Calls frame(offset, header) for every sound section header in [begin, limit) and gap(begin, end)
// for every range between sections.
template <class Frame, class Gap>
void walk_sections(const DumpFile& file, uint64_t begin, uint64_t limit, Frame&& frame, Gap&& gap) {
    uint64_t at = begin;
    uint64_t gap_begin = at;
    while (at + section_alignment <= limit) {
        if (!is_sound_frame_header(file.data() + at)) {
            at += section_alignment;
            continue;
        }
        if (gap_begin < at) gap(gap_begin, at);
        const SectionHeader header = header_at(file, at);
        frame(at, header);
        at = align_section(payload_end(at, header));
        gap_begin = at;
    }
    if (gap_begin < limit) gap(gap_begin, limit);
}

// Does the same from the first section on, and leaves out what is gone (past.h).
template <class Frame, class Gap>
void walk_sections(const DumpFile& file, uint64_t limit, std::span<const PastGone> gone,
                   Frame&& frame, Gap&& gap) {
    uint64_t at = page_bytes;
    for (const PastGone& range : gone) {
        walk_sections(file, at, std::min(range.begin, limit), frame, gap);
        at = range.end;
    }
    walk_sections(file, at, limit, frame, gap);
}

// True if a section header probably stood in [begin, end) before it was damaged.
inline bool has_header_like(const DumpFile& file, uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at + section_alignment <= end; at += section_alignment) {
        const uint32_t magic = header_at(file, at).magic;
        int same = 0;
        for (int shift = 0; shift < 32; shift += 8)
            same += ((magic ^ section_magic) >> shift & 0xff) == 0;
        if (same >= 3) return true;
    }
    return false;
}

// True if at `offset` a ring begins that its thread did not live to use: the thread had put the
// sums in, and not yet the section header before them, which would have made it a ring.
inline bool is_unborn_ring(const DumpFile& file, uint64_t offset) {
    static constexpr uint8_t no_header[section_alignment] = {};
    const uint8_t* const place = file.data() + offset;
    RingHeader ring;
    std::memcpy(&ring, place + section_alignment, sizeof ring);
    const uint64_t head_sum = std::exchange(ring.head_sum, 0);
    const uint64_t tail_sum = std::exchange(ring.tail_sum, 0);
    if (head_sum != ring_sums_begin) return false;  // the thread puts this one in first
    if (tail_sum != ring_sums_begin && tail_sum != 0) return false;
    constexpr RingHeader nothing{};
    return std::memcmp(&ring, &nothing, sizeof ring) == 0 &&
           std::memcmp(place, no_header, sizeof no_header) == 0;
}

// Calls part(begin, end) for what lies in the gap [begin, end) beside such rings.
template <class Part>
void walk_gap(const DumpFile& file, uint64_t begin, uint64_t end, Part&& part) {
    constexpr uint64_t ring_begin = section_alignment + sizeof(RingHeader);
    for (uint64_t at = begin; at + ring_begin <= end;) {
        if (!is_unborn_ring(file, at)) {
            at += section_alignment;
            continue;
        }
        if (begin < at) part(begin, at);
        at = begin = at + ring_begin;
    }
    if (begin < end) part(begin, end);
}

inline bool is_honest_ring(const SectionHeader& header) {
    return header.kind == SectionKind::ring && std::has_single_bit(header.slot_count) &&
           header.stored_bytes == sizeof(RingHeader) + uint64_t{header.slot_count} * slot_bytes;
}

}  // namespace memtrace::analyzer
