// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu_physical.h"

namespace memtrace::analyzer {
namespace {

uint64_t end_of(uint64_t begin, uint64_t size) {
    return begin + size >= begin ? begin + size : UINT64_MAX;
}

}  // namespace

GpuPhysical::Fault GpuPhysical::create(const Memory& memory, Freed& freed) {
    Fault fault = Fault::none;
    if (const auto old = by_handle_.find(memory.handle); old != by_handle_.end()) {
        Memory& before = memories_[old->second];
        if (before.references > 0) fault = Fault::acquired_while_live;
        before.references = 0;
        const uint32_t place = old->second;
        by_handle_.erase(old);
        free_if_unused(place, freed);
    }
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
    return fault;
}

GpuPhysical::Fault GpuPhysical::retain(uint64_t handle) {
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end()) return Fault::used_while_not_live;
    memories_[found->second].references += 1;
    return Fault::none;
}

GpuPhysical::Fault GpuPhysical::release(uint64_t handle, Freed& freed) {
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end() || memories_[found->second].references == 0) {
        return Fault::released_while_not_live;
    }
    memories_[found->second].references -= 1;
    free_if_unused(found->second, freed);
    return Fault::none;
}

GpuPhysical::Fault GpuPhysical::map(uint64_t address, uint64_t size, uint64_t handle,
                                    Freed& freed) {
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end()) return Fault::used_while_not_live;
    const uint32_t place = found->second;
    memories_[place].references += 1;  // Whatever was mapped there may have been the same.
    const uint64_t end = end_of(address, size);
    const Fault fault =
        take(address, end, freed) > 0 ? Fault::acquired_while_live : Fault::none;
    memories_[place].references -= 1;
    mappings_.put(address, end, place);
    memories_[place].mapped += end - address;
    return fault;
}

GpuPhysical::Fault GpuPhysical::unmap(uint64_t address, uint64_t size, Freed& freed) {
    return take(address, end_of(address, size), freed) > 0 ? Fault::none
                                                           : Fault::released_while_not_live;
}

const GpuPhysical::Memory* GpuPhysical::find(uint64_t handle) const {
    const auto found = by_handle_.find(handle);
    return found == by_handle_.end() ? nullptr : &memories_[found->second];
}

// Returns how many bytes were mapped.
uint64_t GpuPhysical::take(uint64_t begin, uint64_t end, Freed& freed) {
    std::vector<MapRanges::Piece> pieces;
    mappings_.take(begin, end, pieces);
    uint64_t bytes = 0;
    for (const MapRanges::Piece& piece : pieces) {
        bytes += piece.end - piece.begin;
        memories_[piece.mapping].mapped -= piece.end - piece.begin;
        free_if_unused(piece.mapping, freed);
    }
    return bytes;
}

void GpuPhysical::free_if_unused(uint32_t place, Freed& freed) {
    Memory& memory = memories_[place];
    if (memory.references > 0 || memory.mapped > 0) return;
    const auto found = by_handle_.find(memory.handle);
    if (found != by_handle_.end() && found->second == place) by_handle_.erase(found);
    freed.push_back(memory);
    memory = {};
    free_places_.push_back(place);
}

}  // namespace memtrace::analyzer
