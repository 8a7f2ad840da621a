// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_segments.h"

#include <algorithm>
#include <iterator>

namespace memtrace::analyzer {
namespace {

uint64_t end_of(uint64_t begin, uint64_t size) {
    return begin + size >= begin ? begin + size : UINT64_MAX;
}

}  // namespace

template <class Each>
void GpuSegments::for_each_part(uint64_t begin, uint64_t end, Each&& each) {
    auto range = ranges_.upper_bound(begin);
    if (range != ranges_.begin()) --range;
    for (; range != ranges_.end() && range->first < end; ++range) {
        const uint64_t from = std::max(begin, range->first);
        const uint64_t to = std::min(end, range->second.end);
        if (from < to) each(*range, from, to);
    }
}

void GpuSegments::add(uint64_t begin, uint64_t size, uint32_t site, bool is_mapped,
                      bool is_segment) {
    const uint64_t end = end_of(begin, size);
    if (begin >= end) return;
    remove(begin, end);
    Range& range = ranges_[begin];
    range = {end, site, is_mapped, false, false, 0};
    if (is_segment) make_segment(begin, range, false);
}

void GpuSegments::remove(uint64_t begin, uint64_t end) {
    auto range = ranges_.lower_bound(begin);
    while (range != ranges_.end() && range->first < end) {
        const Range gone = range->second;
        if (gone.is_segment) {
            set_used(range->first, range->second, 0);
            const uint64_t size = gone.end - range->first;
            cut_holes(range->first, gone.end);
            bytes_ -= size;
            cached_ -= size;
            if (gone.is_lent && (lent_[gone.site] -= size) == 0) lent_.erase(gone.site);
        }
        range = ranges_.erase(range);
    }
}

void GpuSegments::make_segment(uint64_t begin, Range& range, bool is_lent) {
    range.is_segment = true;
    range.is_lent = is_lent;
    const uint64_t size = range.end - begin;
    bytes_ += size;
    cached_ += size;
    if (is_lent) lent_[range.site] += size;
    add_hole(begin, range.end);
}

void GpuSegments::set_used(uint64_t begin, Range& range, uint64_t used) {
    const uint64_t size = range.end - begin;
    if (range.used == 0) cached_ -= size;
    if (used == 0) cached_ += size;
    used_ += used - range.used;
    range.used = used;
}

void GpuSegments::take(uint64_t address, uint64_t size) {
    for_each_part(address, end_of(address, size), [&](auto& entry, uint64_t from, uint64_t to) {
        auto& [begin, range] = entry;
        if (!range.is_segment) make_segment(begin, range, true);
        set_used(begin, range, std::min(range.used + (to - from), range.end - begin));
        cut_holes(from, to);
    });
}

void GpuSegments::give(uint64_t address, uint64_t size) {
    for_each_part(address, end_of(address, size), [&](auto& entry, uint64_t from, uint64_t to) {
        auto& [begin, range] = entry;
        if (!range.is_segment) return;
        set_used(begin, range, range.used - std::min(range.used, to - from));
        add_hole(from, to);
    });
}

bool GpuSegments::is_wall(uint64_t address) const {
    const auto range = ranges_.find(address);
    if (range == ranges_.end()) return false;
    if (range == ranges_.begin()) return true;
    const auto& before = std::prev(range)->second;
    return before.end != address || !before.is_mapped || !range->second.is_mapped ||
           !before.is_segment;
}

void GpuSegments::insert_hole(uint64_t begin, uint64_t end) {
    holes_[begin] = end;
    sizes_[end - begin] += 1;
}

std::map<uint64_t, uint64_t>::iterator GpuSegments::erase_hole(
    std::map<uint64_t, uint64_t>::iterator hole) {
    const auto size = sizes_.find(hole->second - hole->first);
    if (--size->second == 0) sizes_.erase(size);
    return holes_.erase(hole);
}

// Adds a hole and joins it with the holes on both sides, unless there is a wall.
void GpuSegments::add_hole(uint64_t begin, uint64_t end) {
    cut_holes(begin, end);
    auto next = holes_.lower_bound(begin);
    if (next != holes_.begin() && !is_wall(begin)) {
        const auto before = std::prev(next);
        if (before->second == begin) {
            begin = before->first;
            next = erase_hole(before);
        }
    }
    if (next != holes_.end() && next->first == end && !is_wall(end)) {
        end = next->second;
        erase_hole(next);
    }
    insert_hole(begin, end);
}

void GpuSegments::cut_holes(uint64_t begin, uint64_t end) {
    auto hole = holes_.upper_bound(begin);
    if (hole != holes_.begin()) --hole;
    while (hole != holes_.end() && hole->first < end) {
        const auto [from, to] = *hole;
        if (to <= begin) {
            ++hole;
            continue;
        }
        hole = erase_hole(hole);
        if (from < begin) insert_hole(from, begin);
        if (to > end) insert_hole(end, to);
    }
}

void GpuSegments::fill(GpuFigures& figures) const {
    figures.segments = bytes_;
    figures.tensors = used_;
    figures.cached = cached_;
    figures.holes = holes_.size();
    figures.largest_hole = sizes_.empty() ? 0 : sizes_.rbegin()->first;
    figures.lent.assign(lent_.begin(), lent_.end());
}

std::vector<GpuHole> GpuSegments::largest_holes(size_t count) const {
    std::vector<GpuHole> holes;
    for (const auto& [begin, end] : holes_) holes.push_back({begin, end - begin});
    const auto larger = [](const GpuHole& a, const GpuHole& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.address < b.address;
    };
    const size_t kept = std::min(count, holes.size());
    std::partial_sort(holes.begin(), holes.begin() + static_cast<long>(kept), holes.end(), larger);
    holes.resize(kept);
    return holes;
}

}  // namespace memtrace::analyzer
