// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/lost_objects.h"

#include <atomic>

namespace memtrace::preload {
namespace {

std::atomic<uint64_t> ignored[LostRequest::ignored_max];
std::atomic<uint32_t> ignored_count;

struct Root {
    std::atomic<uint64_t> begin{0};  // 0: free
    std::atomic<uint64_t> bytes{0};
};
Root roots[LostRequest::roots_max];

}  // namespace

void ignore_lost_object(uint64_t address) {
    const uint32_t place = ignored_count.load(std::memory_order_relaxed);
    // The same object is often named again and again.
    for (uint32_t i = 0; i < place && i < LostRequest::ignored_max; ++i) {
        if (ignored[i].load(std::memory_order_relaxed) == address) return;
    }
    const uint32_t fresh = ignored_count.fetch_add(1, std::memory_order_relaxed);
    if (fresh < LostRequest::ignored_max) ignored[fresh].store(address, std::memory_order_release);
}

void add_lost_root(uint64_t begin, uint64_t bytes) {
    if (begin == 0 || bytes == 0) return;
    for (Root& root : roots) {
        uint64_t free = 0;
        if (!root.begin.compare_exchange_strong(free, begin)) continue;
        root.bytes.store(bytes, std::memory_order_release);
        return;
    }
}

void remove_lost_root(uint64_t begin, uint64_t bytes) {
    for (Root& root : roots) {
        if (root.begin.load(std::memory_order_acquire) != begin ||
            root.bytes.load(std::memory_order_acquire) != bytes) {
            continue;
        }
        root.bytes.store(0, std::memory_order_release);
        root.begin.store(0, std::memory_order_release);
        return;
    }
}

void describe_lost_objects(LostRequest& request) {
    const uint32_t count = ignored_count.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count && i < LostRequest::ignored_max; ++i) {
        const uint64_t address = ignored[i].load(std::memory_order_acquire);
        if (address != 0) request.ignored[request.ignored_count++] = address;
    }
    for (const Root& root : roots) {
        const uint64_t begin = root.begin.load(std::memory_order_acquire);
        const uint64_t bytes = root.bytes.load(std::memory_order_acquire);
        if (begin != 0 && bytes != 0) request.roots[request.root_count++] = {begin, begin + bytes};
    }
}

}  // namespace memtrace::preload
