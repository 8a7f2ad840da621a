// SPDX-License-Identifier: Apache-2.0
//
// The ledger of the host: what the resident set of the process consisted of at a few moments. All
// sizes are bytes that are resident, if nothing else is stated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memtrace/dump/names.h"

namespace memtrace::analyzer {

// The parts of a resident set. Each is counted by itself.
enum class HostPart : uint8_t {
    heap_blocks,     // in live blocks of the heap
    heap_overhead,   // headers of these blocks, and what their sizes are rounded up by
    heap_free,       // the rest of the allocator's pages: free, but kept
    mappings,        // anonymous pages that the program mapped
    gpu_driver,      // pages that the driver of a GPU mapped
    python_objects,  // in live objects of Python, if they were recorded
    python_free,     // the rest of the arenas of Python's objects, if they were recorded
    python_arenas,   // these arenas as a whole, if not
    shared,          // shared memory
    files,           // pages of mapped files: programs, libraries, data
    file_copies,     // the process's own copies of pages of files, and the variables of libraries
    stacks,          // of threads
    memtrace,        // the shim's own
};
inline constexpr size_t host_parts = static_cast<size_t>(HostPart::memtrace) + 1;

// Blocks of one call site that keep free memory from being given back: the free pages lie directly
// below them.
struct HostPin {
    uint32_t stack = no_stack;
    uint64_t blocks = 0;
    uint64_t block_bytes = 0;  // requested
    uint64_t free_bytes = 0;   // free and resident, below these blocks
};

// Mappings of one call site of which a part is not in memory: never touched, given back to the
// kernel, or swapped out. The space "mmap" counts them whole, because it counts addresses.
struct HostUntouched {
    uint32_t stack = no_stack;
    uint64_t mapped = 0;    // addresses
    uint64_t resident = 0;  // of these
};

struct HostLedger {
    uint64_t time_ns = 0;
    HostOccasion occasion = HostOccasion::growth;
    uint64_t resident = 0;                     // sum over all mappings
    std::array<uint64_t, host_parts> parts{};  // by HostPart
    uint64_t swapped = 0;                      // not resident
    uint64_t shared_with_others = 0;           // part of `resident`
    uint64_t heap_held = 0;                    // requested bytes of live blocks, resident or not
    uint64_t free_pages = 0;                   // part of heap_free: pages without any live block
    uint64_t free_at_top = 0;                  // part of heap_free: above the last live block
    uint64_t pinned = 0;                       // part of heap_free: pages below a live block
    uint64_t unknown_regions = 0;              // mappings whose pages were not looked up
    std::vector<HostPin> pins;                 // the largest first
    uint64_t mapped = 0;       // addresses that the program mapped, as far as their pages are known
    uint64_t not_touched = 0;  // part of `mapped`, but not of `resident`
    std::vector<HostUntouched> untouched;  // of these, by call site; those that lack most first

    uint64_t part(HostPart which) const { return parts[static_cast<size_t>(which)]; }
    uint64_t explained() const {
        uint64_t sum = 0;
        for (const uint64_t bytes : parts) sum += bytes;
        return sum;
    }
    // May be negative if the process changed during the look.
    int64_t unexplained() const {
        return static_cast<int64_t>(resident) - static_cast<int64_t>(explained());
    }
};

struct HostInfo {
    uint64_t moments = 0;      // looks that the dump has whole
    uint64_t duration_ns = 0;  // time that they took together
    uint64_t highest = 0;      // the largest resident set that the kernel saw; 0: not in the dump
    std::optional<HostLedger> at_peak;  // of the moments, the one with the largest resident set
    std::optional<HostLedger> at_end;   // when the work ended, or else the last moment
};

}  // namespace memtrace::analyzer
