// SPDX-License-Identifier: Apache-2.0
//
// Physical memory of the driver. It is created without addresses, named by a handle, and mapped at
// the addresses where it is used. It lives as long as it has references or mappings. The program
// may release the handle as soon as the memory is mapped, and usually does.
//
//   cuMemCreate   handle h, 2 MiB       references 1
//   cuMemMap      h at 0x7000 …         references 1, 2 MiB mapped
//   cuMemRelease  h                     references 0, 2 MiB mapped: lives on
//   cuMemUnmap    0x7000 …              references 0, nothing mapped: freed
//
// The driver may issue a handle without references again while its old memory is still mapped. So
// mappings name the memory, not the handle.
//
// A handle may also stand for memory of another process, or for a multicast object. Such a handle
// is kept in the same way, without bytes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/gpu/gpu_late_release.h"
#include "analyzer/gpu/gpu_space.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/map_ranges.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class GpuPhysical {
public:
    using Fault = HeapSpace::Fault;

    struct Memory {
        GpuMemory memory = GpuMemory::physical;
        uint32_t device = 0;
        uint64_t size = 0;
        uint64_t handle = 0;
        GpuHolding holding;
        uint64_t since = 0;  // time of its creation
        uint64_t references = 0;
        uint64_t mapped = 0;  // bytes of all its mappings
    };
    struct Range {
        uint64_t begin;
        uint64_t end;
    };
    // The memory and the mappings that a call has ended.
    struct Ended {
        std::vector<Memory> memories;
        std::vector<Range> mappings;
    };

    // Must be called when a driver call on `lane` returns this handle at `time`. If the handle has
    // references, its old memory loses them, and a release must explain that (gpu_late_release.h).
    // map() treats existing mappings at its addresses in the same way.
    void overtake(uint64_t handle, uint64_t time, uint32_t lane, Ended& ended);
    // The handle must be new, or overtaken.
    void create(const Memory& memory);
    Fault retain(uint64_t handle);
    Fault release(const GpuRelease& record, Ended& ended);
    Fault map(const GpuMap& record, uint32_t lane, Ended& ended);
    Fault unmap(const GpuUnmap& record, Ended& ended);

    // Returns the memory that a mapping of this handle would map now, or nullptr.
    const Memory* find(uint64_t handle) const;

    // False if a handle or a mapping has no memory.
    bool is_sound() const {
        bool is_sound = true;
        const auto has = [this](uint32_t place) { return place < memories_.size(); };
        for (const uint32_t place : free_places_) is_sound &= has(place);
        for (const auto& [handle, place] : by_handle_) is_sound &= has(place);
        mappings_.for_each([&](const MapRanges::Piece& piece) { is_sound &= has(piece.mapping); });
        return is_sound;
    }
    // Calls each(memory) for memory that has not ended.
    template <class Each>
    void for_each_live(Each&& each) const {
        for (const Memory& memory : memories_) {
            if (memory.references != 0 || memory.mapped != 0) each(memory);
        }
    }

    // Calls each(address or handle, time, lane) for acquisitions that no release has explained.
    template <class Each>
    void for_each_overtaken(Each&& each) const {
        overtaken_handles_.for_each(each);
        overtaken_mappings_.for_each(each);
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.memories_, self.free_places_, self.by_handle_, self.mappings_, self.mapped_since_,
             self.overtaken_handles_, self.overtaken_mappings_);
    }

private:
    void free_if_unused(uint32_t place, Ended& ended);
    // Unmaps mappings of [begin, end) that were made no later than `until`. Returns their ranges.
    std::vector<Range> take(uint64_t begin, uint64_t end, uint64_t until, Ended& ended);

    std::vector<Memory> memories_;
    std::vector<uint32_t> free_places_;
    std::map<uint64_t, uint32_t> by_handle_;
    MapRanges mappings_;
    std::map<uint64_t, uint64_t> mapped_since_;  // time of a mapping, by its address
    GpuLateRelease overtaken_handles_;
    GpuLateRelease overtaken_mappings_;
};

}  // namespace memtrace::analyzer
