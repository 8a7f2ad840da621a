// SPDX-License-Identifier: Apache-2.0
//
// The list of the shim's own mappings. The kernel merges neighbouring mappings, so nothing else
// tells the shim's memory from the program's.
//
// Any thread may add or remove at any time; nothing waits. A mapping that does not fit the list is
// not told from the program's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memtrace::preload::own_memory {

inline constexpr uint32_t mappings_max = 1u << 14;

struct Mapping {
    std::atomic<uint64_t> begin{0};  // 0: removed, or not yet written
    std::atomic<uint64_t> bytes{0};
};

extern Mapping mappings[mappings_max];
extern std::atomic<uint32_t> mapping_count;  // of all that were added; may exceed mappings_max

// A place that was removed last is taken again, so what comes and goes needs one place.
void add(uint64_t begin, size_t bytes);
// Removes the mapping that begins at this address.
void remove(uint64_t begin);

// Calls visit(begin, end) for each mapping.
template <class Visit>
void for_each(Visit&& visit) {
    const uint32_t count = mapping_count.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count && i < mappings_max; ++i) {
        const uint64_t begin = mappings[i].begin.load(std::memory_order_acquire);
        if (begin != 0) visit(begin, begin + mappings[i].bytes.load(std::memory_order_relaxed));
    }
}

}  // namespace memtrace::preload::own_memory
