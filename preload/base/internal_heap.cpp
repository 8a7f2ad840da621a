// SPDX-License-Identifier: Apache-2.0
#include "preload/base/internal_heap.h"

#include <atomic>
#include <cstring>

#include "preload/base/hot_data.h"
#include "preload/base/sys.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA uintptr_t internal_heap_begin;

namespace {

std::atomic<size_t> used;

// Precedes each block, so that a resize has the number of bytes to copy.
struct Header {
    size_t size;
    size_t padding;
};

uintptr_t mapping() {
    uintptr_t begin = __atomic_load_n(&internal_heap_begin, __ATOMIC_ACQUIRE);
    if (begin != 0) return begin;
    const auto fresh = reinterpret_cast<uintptr_t>(sys::map_private(own_heap_bytes));
    if (fresh == 0) return 0;
    uintptr_t expected = 0;
    if (__atomic_compare_exchange_n(&internal_heap_begin, &expected, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        return fresh;
    }
    sys::unmap(reinterpret_cast<void*>(fresh), own_heap_bytes);
    return expected;
}

}  // namespace

void* internal_heap_allocate(size_t size, size_t alignment) {
    const uintptr_t begin = mapping();
    if (begin == 0 || size > own_heap_bytes || alignment > own_heap_bytes) return nullptr;
    if (alignment < sizeof(Header)) alignment = sizeof(Header);
    const size_t room = sizeof(Header) + alignment + size;
    const size_t offset = used.fetch_add((room + 15) & ~size_t{15}, std::memory_order_relaxed);
    if (offset + room > own_heap_bytes) return nullptr;
    const uintptr_t block = (begin + offset + sizeof(Header) + alignment - 1) & ~(alignment - 1);
    reinterpret_cast<Header*>(block)[-1].size = size;
    return reinterpret_cast<void*>(block);
}

void* internal_heap_resize(void* block, size_t size) {
    void* fresh = internal_heap_allocate(size);
    if (fresh == nullptr || block == nullptr) return fresh;
    const size_t old_size = static_cast<Header*>(block)[-1].size;
    std::memcpy(fresh, block, old_size < size ? old_size : size);
    return fresh;
}

}  // namespace memtrace::preload
