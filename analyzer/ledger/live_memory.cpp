// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/live_memory.h"

namespace memtrace::analyzer {
namespace {

HostPart part_of(MapSpace::Memory memory) {
    switch (memory) {
        case MapSpace::Memory::python_arena: return HostPart::python_arenas;
        case MapSpace::Memory::gpu_driver: return HostPart::gpu_driver;
        case MapSpace::Memory::anonymous: break;
    }
    return HostPart::mappings;
}

}  // namespace

HeldMemory held_memory(const HeapSpace& heap, const MapSpace& maps, const ObjectSpace& objects) {
    HeldMemory held;
    held.heap.reserve(heap.live_count());
    heap.for_each_live([&](uint64_t address, uint64_t size, uint32_t stack) {
        held.heap.push_back({address, size, stack});
    });
    maps.for_each_memory(
        [&](uint64_t begin, uint64_t end, MapSpace::Memory memory, uint32_t stack) {
            held.mappings.push_back({begin, end, part_of(memory), stack});
        });
    held.has_all_objects = objects.has_all();
    if (!held.has_all_objects) return held;
    objects.for_each_live([&](uint64_t address, uint64_t size, uint32_t stack) {
        held.objects.push_back({address, size, stack});
    });
    return held;
}

}  // namespace memtrace::analyzer
