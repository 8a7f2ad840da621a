// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_physical.h"

namespace memtrace::analyzer {
namespace {

uint64_t end_of(uint64_t begin, uint64_t size) {
    return begin + size >= begin ? begin + size : UINT64_MAX;
}

}  // namespace

void GpuPhysical::overtake(uint64_t handle, uint64_t time, uint32_t lane, Ended& ended) {
    const auto old = by_handle_.find(handle);
    if (old == by_handle_.end()) return;
    const uint32_t place = old->second;
    if (memories_[place].references > 0) overtaken_handles_.wait(handle, time, lane);
    memories_[place].references = 0;
    by_handle_.erase(old);
    free_if_unused(place, ended);
}

void GpuPhysical::create(const Memory& memory) {
    uint32_t place = static_cast<uint32_t>(memories_.size());
    if (!free_places_.empty()) {
        place = free_places_.back();
        free_places_.pop_back();
        memories_[place] = memory;
    } else {
        memories_.push_back(memory);
    }
    memories_[place].references = 1;
    memories_[place].mapped = 0;
    by_handle_[memory.handle] = place;
}

GpuPhysical::Fault GpuPhysical::retain(uint64_t handle) {
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end()) return Fault::used_while_not_live;
    memories_[found->second].references += 1;
    return Fault::none;
}

GpuPhysical::Fault GpuPhysical::release(const GpuRelease& record, Ended& ended) {
    const uint64_t handle = record.address;
    const uint64_t began = begin_of(record);
    if (overtaken_handles_.settle(handle, handle + 1, began)) return Fault::none;
    const auto found = by_handle_.find(handle);
    const bool is_live = found != by_handle_.end() && memories_[found->second].references > 0 &&
                         memories_[found->second].since <= began;
    if (!is_live) return Fault::released_while_not_live;
    memories_[found->second].references -= 1;
    free_if_unused(found->second, ended);
    return Fault::none;
}

GpuPhysical::Fault GpuPhysical::map(const GpuMap& record, uint32_t lane, Ended& ended) {
    const auto found = by_handle_.find(record.handle);
    if (found == by_handle_.end()) return Fault::used_while_not_live;
    const uint32_t place = found->second;
    const uint64_t end = end_of(record.address, record.size);
    memories_[place].references += 1;  // The old mapping may have been of the same memory.
    for (const Range& range : take(record.address, end, UINT64_MAX, ended)) {
        overtaken_mappings_.wait(range.begin, record.time, lane);
    }
    memories_[place].references -= 1;
    mappings_.put(record.address, end, place);
    mapped_since_[record.address] = record.time;
    memories_[place].mapped += end - record.address;
    return Fault::none;
}

GpuPhysical::Fault GpuPhysical::unmap(const GpuUnmap& record, Ended& ended) {
    const uint64_t end = end_of(record.address, record.size);
    const uint64_t began = begin_of(record);
    const bool is_explained = overtaken_mappings_.settle(record.address, end, began);
    const bool any = !take(record.address, end, began, ended).empty();
    return any || is_explained ? Fault::none : Fault::released_while_not_live;
}

const GpuPhysical::Memory* GpuPhysical::find(uint64_t handle) const {
    const auto found = by_handle_.find(handle);
    return found == by_handle_.end() ? nullptr : &memories_[found->second];
}

std::vector<GpuPhysical::Range> GpuPhysical::take(uint64_t begin, uint64_t end, uint64_t until,
                                                  Ended& ended) {
    std::vector<Range> ranges;
    mappings_.for_each(begin, end, [&](const MapRanges::Piece& piece) {
        const auto since = mapped_since_.find(piece.begin);
        if (since != mapped_since_.end() && since->second > until) return;
        ranges.push_back({piece.begin, piece.end});
    });
    std::vector<MapRanges::Piece> pieces;
    for (const Range& range : ranges) {
        mappings_.take(range.begin, range.end, pieces);
        mapped_since_.erase(range.begin);
    }
    for (const MapRanges::Piece& piece : pieces) {
        memories_[piece.mapping].mapped -= piece.end - piece.begin;
        free_if_unused(piece.mapping, ended);
    }
    ended.mappings.insert(ended.mappings.end(), ranges.begin(), ranges.end());
    return ranges;
}

void GpuPhysical::free_if_unused(uint32_t place, Ended& ended) {
    Memory& memory = memories_[place];
    if (memory.references > 0 || memory.mapped > 0) return;
    const auto found = by_handle_.find(memory.handle);
    if (found != by_handle_.end() && found->second == place) by_handle_.erase(found);
    ended.memories.push_back(memory);
    memory = {};
    free_places_.push_back(place);
}

}  // namespace memtrace::analyzer
