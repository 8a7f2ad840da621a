// SPDX-License-Identifier: Apache-2.0
//
// Physical memory of the driver: made without addresses, named by a handle, mapped where somebody
// wants to see it. It lives while it has references or mappings; whoever made it may give the
// handle back as soon as it is mapped, and mostly does.
//
//   cuMemCreate   handle h, 2 MiB       references 1
//   cuMemMap      h at 0x7000 …         references 1, 2 MiB mapped
//   cuMemRelease  h                     references 0, 2 MiB mapped: lives on
//   cuMemUnmap    0x7000 …              references 0, nothing mapped: freed
//
// A handle without references may be given out again while its old memory is still mapped. So
// mappings name the memory, not the handle.
//
// A handle may also stand for memory of another process, or for a multicast object: it is kept in
// the same way, with no bytes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/gpu_space.h"
#include "analyzer/heap_space.h"
#include "analyzer/map_ranges.h"
#include "memtrace/format.h"

namespace memtrace::analyzer {

class GpuPhysical {
public:
    using Fault = HeapSpace::Fault;

    struct Memory {
        GpuMemory  memory = GpuMemory::physical;
        uint32_t   device = 0;
        uint64_t   size = 0;
        uint64_t   handle = 0;
        GpuHolding holding;
        uint64_t   references = 0;
        uint64_t   mapped = 0;  // bytes, of all its mappings
    };
    // Memory that has just been freed; none: nothing was.
    using Freed = std::vector<Memory>;

    // acquired_while_live: the handle has references. What it stood for is freed then.
    Fault create(const Memory& memory, Freed& freed);
    Fault retain(uint64_t handle);
    Fault release(uint64_t handle, Freed& freed);
    // acquired_while_live: something is mapped there already. It is unmapped then.
    Fault map(uint64_t address, uint64_t size, uint64_t handle, Freed& freed);
    // Addresses where nothing is mapped are released_while_not_live.
    Fault unmap(uint64_t address, uint64_t size, Freed& freed);

    // What is mapped through this handle now, or nullptr.
    const Memory* find(uint64_t handle) const;

private:
    void free_if_unused(uint32_t place, Freed& freed);
    uint64_t take(uint64_t begin, uint64_t end, Freed& freed);

    std::vector<Memory>          memories_;
    std::vector<uint32_t>        free_places_;
    std::map<uint64_t, uint32_t> by_handle_;
    MapRanges                    mappings_;
};

}  // namespace memtrace::analyzer
