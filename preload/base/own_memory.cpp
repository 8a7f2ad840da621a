// SPDX-License-Identifier: Apache-2.0
#include "preload/base/own_memory.h"

#include <algorithm>

namespace memtrace::preload::own_memory {

Mapping mappings[mappings_max];
std::atomic<uint32_t> mapping_count{0};

namespace {

constexpr uint32_t no_place = ~0u;
std::atomic<uint32_t> removed_place{no_place};  // belongs to whoever takes the number

}  // namespace

void add(uint64_t begin, size_t bytes) {
    uint32_t place = removed_place.exchange(no_place, std::memory_order_acq_rel);
    if (place == no_place) place = mapping_count.fetch_add(1, std::memory_order_acq_rel);
    if (place >= mappings_max) return;
    mappings[place].bytes.store(bytes, std::memory_order_relaxed);
    mappings[place].begin.store(begin, std::memory_order_release);  // for_each() acquires it.
}

// What is unmapped was mostly mapped a moment ago.
void remove(uint64_t begin) {
    const uint32_t count = std::min(mapping_count.load(std::memory_order_acquire), mappings_max);
    for (uint32_t i = count; i > 0; --i) {
        uint64_t expected = begin;
        if (!mappings[i - 1].begin.compare_exchange_strong(expected, 0)) continue;
        removed_place.store(i - 1, std::memory_order_release);
        return;
    }
}

}  // namespace memtrace::preload::own_memory
