// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/map_space.h"

#include <algorithm>

#include "analyzer/model/gpu_facts.h"

namespace memtrace::analyzer {
namespace {

uint64_t end_of(uint64_t address, uint64_t size) {
    return address + size >= address ? address + size : ~uint64_t{0};
}

}  // namespace

MapSpace::MapSpace() : counter_("mmap") {
    const char* names[] = {"anonymous", "file", "shared", "reserved"};
    for (size_t i = 0; i < 4; ++i) labels_[i] = counter_.add_label(names[i]);
    arena_label_ = counter_.add_label("python_arena");
    gpu_label_ = counter_.add_label("gpu_driver");
}

uint64_t& MapSpace::newest_of(uint32_t thread) {
    if (thread >= newest_.size()) newest_.resize(thread + 1);
    return newest_[thread];
}

void MapSpace::add(uint64_t address, uint64_t size, uint32_t stack, uint32_t backward,
                   uint32_t label, uint64_t time, uint32_t thread) {
    const uint64_t end = end_of(address, size);
    taken_.clear();
    ranges_.take(address, end, taken_);
    release(taken_, thread);
    if (end <= address) return;
    uint32_t place = static_cast<uint32_t>(mappings_.size());
    if (!free_mappings_.empty()) {
        place = free_mappings_.back();
        free_mappings_.pop_back();
    } else {
        mappings_.emplace_back();
    }
    ranges_.put(address, end, place);
    if (label == no_memory) {
        come(reserved_, end - address);
        mappings_[place] = {end - address, 0, label, 0};
        return;
    }
    const uint32_t site = counter_.site_of(stack, backward);
    counter_.acquire(site, end - address, time, label);
    mappings_[place] = {end - address, site, label, counter_.newest()};
    newest_of(thread) = counter_.newest();
}

void MapSpace::release(const std::vector<MapRanges::Piece>& pieces, uint32_t thread) {
    for (const MapRanges::Piece& piece : pieces) {
        Mapping& mapping = mappings_[piece.mapping];
        const uint64_t bytes = piece.end - piece.begin;
        mapping.bytes -= bytes;
        if (mapping.label == no_memory) {
            if (mapping.bytes > 0) {
                reserved_.live_bytes -= bytes;
                continue;
            }
            go(reserved_, bytes);
            free_mappings_.push_back(piece.mapping);
            continue;
        }
        if (mapping.bytes > 0) {
            counter_.shrink(mapping.site, bytes, mapping.number, mapping.label);
            continue;
        }
        const bool temporary = mapping.number == newest_of(thread);
        counter_.release(mapping.site, bytes, temporary, mapping.number, mapping.label);
        free_mappings_.push_back(piece.mapping);
    }
}

void MapSpace::map(const Map& record, uint32_t thread, uint32_t backward) {
    if (record.purpose == MapPurpose::python_arena) {
        add(record.address, record.size, arena_stack, backward & left_out_bit, arena_label_,
            record.time, thread);
        return;
    }
    const size_t map_class = std::min<size_t>(static_cast<size_t>(record.map_class), 3);
    const bool is_driver = record.purpose == MapPurpose::gpu_driver;
    const uint32_t label = !is_driver                               ? labels_[map_class]
                           : record.map_class == MapClass::reserved ? no_memory
                                                                    : gpu_label_;
    add(record.address, record.size, record.stack, backward, label, record.time, thread);
}

void MapSpace::unmap(const Unmap& record, uint32_t thread) {
    taken_.clear();
    ranges_.take(record.address, end_of(record.address, record.size), taken_);
    release(taken_, thread);
}

void MapSpace::begin_remap(const Remap& record, uint32_t lane) {
    Moving& moving = moving_.emplace_back(Moving{lane, record, {}});
    ranges_.take(record.old_address, end_of(record.old_address, record.old_size), moving.pieces);
}

void MapSpace::end_remap(const Remap& record, uint64_t time, uint32_t lane, uint32_t thread,
                         uint32_t backward) {
    uint32_t label = labels_[0];
    const auto mine = [&](const Moving& moving) {
        return moving.lane == lane && moving.record.time == record.time &&
               moving.record.old_address == record.old_address;
    };
    const auto found = std::find_if(moving_.begin(), moving_.end(), mine);
    if (found != moving_.end()) {
        if (!found->pieces.empty()) label = mappings_[found->pieces[0].mapping].label;
        const std::vector<MapRanges::Piece> pieces = std::move(found->pieces);
        moving_.erase(found);
        release(pieces, thread);
    }
    add(record.address, record.size, record.stack, backward, label, time, thread);
}

void MapSpace::count_births() {
    for (const Mapping& mapping : mappings_) {
        if (mapping.bytes == 0 || mapping.label == no_memory) continue;  // or a free entry
        counter_.add_birth(mapping.site, mapping.number, mapping.bytes, 1, mapping.label);
    }
}

void MapSpace::finish_remaps() {
    for (const Moving& moving : moving_) release(moving.pieces, 0);
    moving_.clear();
}

}  // namespace memtrace::analyzer
