// SPDX-License-Identifier: Apache-2.0
//
// The space "mmap": pages that the program mapped itself, counted by site and by class.
//
//   * A block of this space is one mapping. It is freed when its last page is unmapped. Before
//     that, unmapped pages only make it smaller. So allocations - frees = live blocks, as in the
//     heap.
//   * A new mapping releases the pages that it covers (MAP_FIXED).
//   * Pages may be unmapped although no record mapped them, because the loader and libc map memory
//     for themselves. That is not an anomaly.
//   * Arenas of Python's object allocator belong to one site, whichever code needed a new arena,
//     because the objects in them were requested elsewhere. They are a class of their own.
//   * Memory that a GPU driver maps while it serves a call is also a class of its own. The memory
//     that the driver returns as pinned lies there, and is counted in the space "pinned" besides.
//   * mremap takes its old pages at its start and gives new ones at its end. In between the pages
//     count but belong to no address, so another thread may receive the old address.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/model/gpu_model.h"
#include "analyzer/spaces/map_ranges.h"
#include "analyzer/spaces/peak_tracker.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class MapSpace {
public:
    MapSpace();

    void map(const Map& record, uint32_t thread, uint32_t backward = 0);
    void unmap(const Unmap& record, uint32_t thread);
    void begin_remap(const Remap& record, uint32_t lane);
    void end_remap(const Remap& record, uint64_t time, uint32_t lane, uint32_t thread,
                   uint32_t backward = 0);
    // Releases the pages of remaps that never ended. Sound dumps contain no such remaps.
    void finish_remaps();

    // Adds all live mappings to the histories (SpaceCounter::add_birth).
    void count_births();

    SpaceCounter& counter() { return counter_; }
    // The number of this thread is that of another one from here on.
    void forget_thread(uint32_t thread) {
        if (thread < newest_.size()) newest_[thread] = 0;
    }

    // Calls each(begin, end) for the pages in [begin, end) that belong to arenas.
    template <class Each>
    void for_each_arena_part(uint64_t begin, uint64_t end, Each&& each) const {
        if (arena_bytes() == 0) return;
        ranges_.for_each(begin, end, [&](const MapRanges::Piece& piece) {
            if (mappings_[piece.mapping].label == arena_label_) each(piece.begin, piece.end);
        });
    }
    enum class Memory : uint8_t { anonymous, python_arena, gpu_driver };
    // Calls visit(begin, end, Memory, stack) for all pages of private memory, by address. Pages of
    // files and shared memory are left out.
    template <class Visit>
    void for_each_memory(Visit&& visit) const {
        ranges_.for_each([&](const MapRanges::Piece& piece) {
            const auto& [bytes, site, label, number] = mappings_[piece.mapping];
            if (label == labels_[1] || label == labels_[2] || label == no_memory) return;
            visit(piece.begin, piece.end,
                  label == arena_label_ ? Memory::python_arena
                  : label == gpu_label_ ? Memory::gpu_driver
                                        : Memory::anonymous,
                  counter_.stack_of(site));
        });
    }
    // False if a mapping cannot be one of this space. An archive may say anything.
    bool is_sound() const {
        bool is_sound = counter_.has_label(arena_label_) && counter_.has_label(gpu_label_);
        for (const uint32_t label : labels_) is_sound &= counter_.has_label(label);
        const auto check = [&](const MapRanges::Piece& piece) {
            is_sound &= piece.mapping < mappings_.size();
        };
        ranges_.for_each(check);
        for (const Moving& moving : moving_)
            std::for_each(moving.pieces.begin(), moving.pieces.end(), check);
        for (const Mapping& mapping : mappings_)
            is_sound &= mapping.label == no_memory || counter_.has(mapping.site, mapping.label);
        for (const uint32_t place : free_mappings_) is_sound &= place < mappings_.size();
        return is_sound;
    }
    // Addresses that a GPU's driver reserves: many gigabytes, and no memory ever comes there but by
    // further mappings. They are no bytes of the space.
    const GpuAside& reserved() const { return reserved_; }
    uint64_t arena_bytes() const { return counter_.label_totals(arena_label_).live_bytes; }

    // The stack of the site that all arenas belong to. No stack of a dump has this number.
    static constexpr uint32_t arena_stack = stack_of(Group::python_arenas);

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.counter_, self.reserved_, self.ranges_, self.mappings_, self.free_mappings_,
             self.moving_, self.newest_);
    }

private:
    struct Mapping {
        uint64_t bytes = 0;  // bytes that are left
        uint32_t site = 0;
        uint32_t label = 0;
        uint64_t number = 0;  // number of its acquisition
    };
    struct Moving {
        uint32_t lane;
        Remap record;
        std::vector<MapRanges::Piece> pieces;

        static void state(auto& self, auto& each) { each(self.lane, self.record, self.pieces); }
    };

    static constexpr uint32_t no_memory = ~uint32_t{0};  // a label that nothing is counted for

    void add(uint64_t address, uint64_t size, uint32_t stack, uint32_t backward, uint32_t label,
             uint64_t time, uint32_t thread);
    void release(const std::vector<MapRanges::Piece>& pieces, uint32_t thread);
    uint64_t& newest_of(uint32_t thread);

    SpaceCounter counter_;
    uint32_t labels_[4];
    uint32_t arena_label_;
    uint32_t gpu_label_;
    GpuAside reserved_;
    MapRanges ranges_;
    std::vector<Mapping> mappings_;
    std::vector<uint32_t> free_mappings_;  // indices of free entries in mappings_
    std::vector<Moving> moving_;
    std::vector<uint64_t> newest_;  // number of the mapping that each thread created last
    std::vector<MapRanges::Piece> taken_;
};

}  // namespace memtrace::analyzer
