// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/dump_follower.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analyzer/reader/chunk_fault.h"
#include "analyzer/reader/section_walk.h"

namespace memtrace::analyzer {
namespace {

// Returns the slot behind the last chunk of the lane.
uint64_t chunks_end(const LaneSections& lane) {
    if (lane.chunks.empty()) return lane.first_slot;
    const SectionHeader& last = lane.chunks.back().header;
    return last.first_slot + last.slot_count;
}

}  // namespace

DumpFollower::DumpFollower(DumpFile& file, Problems& problems, const Past* past)
    : file_(file), problems_(problems) {
    if (past == nullptr) return;
    for (const PastLane& one : past->lanes) lane(one.lane).set_past(one);
    gone_ = past->gone;
}

void DumpFollower::look() {
    for (LaneSections& lane : lanes_) {
        if (lane.ring) copy_ring(lane, lane.ring->offset());
    }
    // The records of a ring that is found here may be in chunks behind what this walk reads.
    do {
        has_new_ring_ = false;
        const uint64_t end = file_.file_end_now();
        file_.refresh();
        std::vector<Extent> gaps;
        for (const Extent& gap : std::exchange(gaps_, {})) walk(gap.begin, gap.end, gaps);
        const uint64_t limit = std::min(end, file_.size());
        for (const PastGone& range : std::exchange(gone_, {})) {
            walk(walked_, range.begin, gaps);
            walked_ = range.end;
        }
        if (walked_ < limit) walk(walked_, limit, gaps);
        walked_ = std::max(walked_, limit);
        gaps_ = std::move(gaps);
    } while (has_new_ring_);
    for (LaneSections& lane : lanes_) {
        if (lane.ring) lane.ring->settle(file_, chunks_end(lane));
    }
}

void DumpFollower::walk(uint64_t begin, uint64_t end, std::vector<Extent>& gaps) {
    walk_sections(
        file_, begin, end,
        [&](uint64_t offset, const SectionHeader& header) { add(offset, header, end); },
        [&](uint64_t from, uint64_t to) {
            gaps.push_back({from, to});
        });
}

void DumpFollower::add(uint64_t offset, const SectionHeader& header, uint64_t limit) {
    if (header.kind == SectionKind::ring) add_ring(offset, header);
    else if (header.kind == SectionKind::chunk) add_chunk(offset, header, limit);
    else if (header.kind != SectionKind::past)
        problems_.remark("format",
                         "Sections of a kind that is newer than this program were skipped.");
}

void DumpFollower::add_ring(uint64_t offset, const SectionHeader& header) {
    LaneSections& owner = lane(header.lane);
    if (!is_honest_ring(header) || owner.ring) {
        problems_.damage(
            "ring", fmt::format("The ring of lane {} at byte {} cannot be.", header.lane, offset),
            offset, section_alignment);
        return;
    }
    copy_ring(owner, offset);
    has_new_ring_ = true;
}

void DumpFollower::copy_ring(LaneSections& lane, uint64_t offset) {
    lane.ring.emplace(file_, offset, header_at(file_, offset));
}

void DumpFollower::add_chunk(uint64_t offset, const SectionHeader& header, uint64_t limit) {
    LaneSections& owner = lane(header.lane);
    const char* fault = fault_of_chunk(file_, offset, header, limit);
    const uint64_t end = header.first_slot + header.slot_count;
    const bool is_behind = header.first_slot >= chunks_end(owner) && end >= header.first_slot;
    if (fault == nullptr && !is_behind) fault = "its slots are in another chunk, too";
    if (fault != nullptr) {
        problems_.damage("chunk",
                         fmt::format("A chunk with {} records at byte {} is damaged: {}.",
                                     header.record_count, offset, fault),
                         offset, section_alignment + header.stored_bytes);
        return;
    }
    owner.chunks.push_back({offset, header});
}

LaneSections& DumpFollower::lane(uint32_t number) {
    LaneSections*& found = by_number_[number];
    if (found == nullptr) {
        found = &lanes_.emplace_back();
        found->lane = number;
    }
    return *found;
}

}  // namespace memtrace::analyzer
