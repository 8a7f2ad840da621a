// SPDX-License-Identifier: Apache-2.0
#include "preload/hooks/awake_heap.h"

#include <errno.h>
#include <stdint.h>

#include "memtrace/dump/format.h"
#include "preload/hooks/hook_support.h"
#include "preload/recording/heap_sample.h"

namespace memtrace::preload::awake {
namespace {

// Handles the resizes that are not resizes. realloc(nullptr, n) acquires. realloc(p, 0) releases if
// the allocator reports so by returning nullptr (glibc does).
void* resize(Api api, void* old_block, size_t size, const void* frame) {
    const bool is_own =
        old_block == nullptr ? inside_own_code() : internal_heap_contains(old_block);
    if (is_own) return internal_heap_resize(old_block, size);
    // What the shim allocated while the process slept is in the program's heap.
    if (inside_own_code()) return real_functions().realloc(old_block, size);
    if (old_block == nullptr) {
        void* block = real_functions().realloc(nullptr, size);
        if (block != nullptr) take_block(api, block, size, frame);
        return block;
    }
    if (is_sample(heap_mode())) [[unlikely]] {
        SampledResize resize(api, old_block);
        void* block = real_functions().realloc(old_block, size);
        resize.end(block, block != nullptr || size == 0, size, frame);
        return block;
    }
    if (size == 0) {
        // The old block is gone in any case. A returned block is a new, empty block.
        record_release(api, old_block);
        void* block = real_functions().realloc(old_block, 0);
        if (block != nullptr) take_block(api, block, 0, frame);
        return block;
    }
    const ResizeStart start = begin_resize(frame);
    void* block = real_functions().realloc(old_block, size);
    if (block != nullptr) record_resize(start, api, old_block, block, size);
    return block;
}

[[gnu::hot]] void release(Api api, void* block) {
    if (block == nullptr || internal_heap_contains(block)) return;
    give_block(api, block);
    real_functions().free(block);
}

}  // namespace

[[gnu::hot]] void* malloc(size_t size) {
    if (inside_own_code()) return internal_heap_allocate(size);
    void* block = real_functions().malloc(size);
    if (block != nullptr) take_block(Api::malloc, block, size, MEMTRACE_FRAME);
    return block;
}

void* calloc(size_t count, size_t size) {
    // Fresh pages of the internal heap are zero.
    if (inside_own_code()) return internal_heap_allocate(count * size);
    void* block = real_functions().calloc(count, size);
    if (block != nullptr) take_block(Api::calloc, block, count * size, MEMTRACE_FRAME);
    return block;
}

void* realloc(void* block, size_t size) {
    return resize(Api::realloc, block, size, MEMTRACE_FRAME);
}

// glibc's own reallocarray calls realloc through its PLT, which would count the call twice.
void* reallocarray(void* block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    return resize(Api::reallocarray, block, bytes, MEMTRACE_FRAME);
}

[[gnu::hot]] void free(void* block) { release(Api::free, block); }

void free_sized(void* block, size_t) { release(Api::free_sized, block); }

void free_aligned_sized(void* block, size_t, size_t) { release(Api::free_aligned_sized, block); }

void cfree(void* block) { release(Api::cfree, block); }

[[gnu::hot]] int posix_memalign(void** out, size_t alignment, size_t size) {
    if (inside_own_code()) {
        *out = internal_heap_allocate(size, alignment);
        return *out == nullptr ? ENOMEM : 0;
    }
    const int error = real_functions().posix_memalign(out, alignment, size);
    if (error == 0 && *out != nullptr) {
        take_block(Api::posix_memalign, *out, size, MEMTRACE_FRAME);
    }
    return error;
}

void* aligned_alloc(size_t alignment, size_t size) {
    if (inside_own_code()) return internal_heap_allocate(size, alignment);
    void* block = real_functions().aligned_alloc(alignment, size);
    if (block != nullptr) take_block(Api::aligned_alloc, block, size, MEMTRACE_FRAME);
    return block;
}

void* memalign(size_t alignment, size_t size) {
    if (inside_own_code()) return internal_heap_allocate(size, alignment);
    void* block = real_functions().memalign(alignment, size);
    if (block != nullptr) take_block(Api::memalign, block, size, MEMTRACE_FRAME);
    return block;
}

void* valloc(size_t size) {
    if (inside_own_code()) return internal_heap_allocate(size, page_bytes);
    void* block = real_functions().valloc(size);
    if (block != nullptr) take_block(Api::valloc, block, size, MEMTRACE_FRAME);
    return block;
}

// Counts the requested bytes, not the whole pages that pvalloc returns.
void* pvalloc(size_t size) {
    if (inside_own_code()) return internal_heap_allocate(size, page_bytes);
    void* block = real_functions().pvalloc(size);
    if (block != nullptr) take_block(Api::pvalloc, block, size, MEMTRACE_FRAME);
    return block;
}

}  // namespace memtrace::preload::awake
