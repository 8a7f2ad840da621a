// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/lost_objects.h"

#include <atomic>

namespace memtrace::preload {
namespace {

// A hash table: the same object is often named again and again. Its pages are touched only when
// something is put there.
constexpr unsigned ignored_bits = 17;
constexpr uint32_t places = 1 << ignored_bits;
static_assert(places >= 2 * LostRequest::ignored_max);
std::atomic<uint64_t> ignored[places];
std::atomic<uint32_t> ignored_count;

struct Root {
    std::atomic<uint64_t> begin{0};  // 0: free
    std::atomic<uint64_t> bytes{0};
};
Root roots[LostRequest::roots_max];
std::atomic<uint32_t> roots_end;  // No root lies at or after this index.

std::atomic<uint64_t> left_out;

// Where an address is, or where it may be put.
std::atomic<uint64_t>& place_of(uint64_t address) {
    uint32_t place = static_cast<uint32_t>(address * 0x9e3779b97f4a7c15u >> (64 - ignored_bits));
    for (;; place = (place + 1) % places) {
        const uint64_t there = ignored[place].load(std::memory_order_relaxed);
        if (there == 0 || there == address) return ignored[place];
    }
}

}  // namespace

void ignore_lost_object(uint64_t address) {
    if (address == 0) return;
    for (;;) {
        std::atomic<uint64_t>& place = place_of(address);
        uint64_t free = 0;
        if (place.load(std::memory_order_relaxed) == address) return;
        if (ignored_count.load(std::memory_order_relaxed) >= LostRequest::ignored_max) break;
        if (!place.compare_exchange_strong(free, address, std::memory_order_release)) continue;
        ignored_count.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    left_out.fetch_add(1, std::memory_order_relaxed);
}

void add_lost_root(uint64_t begin, uint64_t bytes) {
    if (begin == 0 || bytes == 0) return;
    for (uint32_t i = 0; i < LostRequest::roots_max; ++i) {
        uint64_t free = 0;
        if (!roots[i].begin.compare_exchange_strong(free, begin)) continue;
        roots[i].bytes.store(bytes, std::memory_order_release);
        uint32_t end = roots_end.load();
        while (end <= i && !roots_end.compare_exchange_weak(end, i + 1)) continue;
        return;
    }
    left_out.fetch_add(1, std::memory_order_relaxed);
}

void remove_lost_root(uint64_t begin, uint64_t bytes) {
    const uint32_t end = roots_end.load();
    for (uint32_t i = 0; i < end; ++i) {
        Root& root = roots[i];
        if (root.begin.load(std::memory_order_acquire) != begin ||
            root.bytes.load(std::memory_order_acquire) != bytes) {
            continue;
        }
        root.bytes.store(0, std::memory_order_release);
        root.begin.store(0, std::memory_order_release);
        return;
    }
}

uint64_t lost_objects_left_out() { return left_out.load(std::memory_order_relaxed); }

void describe_lost_objects(LostRequest& request) {
    const bool has_ignored = ignored_count.load(std::memory_order_acquire) != 0;
    for (uint32_t i = 0; has_ignored && i < places; ++i) {
        const uint64_t address = ignored[i].load(std::memory_order_acquire);
        const bool fits = request.ignored_count < LostRequest::ignored_max;
        if (address != 0 && fits) request.ignored[request.ignored_count++] = address;
    }
    const uint32_t end = roots_end.load();
    for (uint32_t i = 0; i < end; ++i) {
        const uint64_t begin = roots[i].begin.load(std::memory_order_acquire);
        const uint64_t bytes = roots[i].bytes.load(std::memory_order_acquire);
        if (begin != 0 && bytes != 0) request.roots[request.root_count++] = {begin, begin + bytes};
    }
}

}  // namespace memtrace::preload
