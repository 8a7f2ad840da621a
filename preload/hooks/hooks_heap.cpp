// SPDX-License-Identifier: Apache-2.0
//
// Hooks of the malloc family. In a process that sleeps (recording_state.h), they jump to the real
// function at once: it costs at most eight instructions, which tests/e2e/cases/dormant_costs.py
// counts. Otherwise they jump to awake_heap.h. Each call is passed on last, as a jump.
//
//   * What the shim itself allocates while the process sleeps comes from the program's heap. It
//     would cost more than all the rest to look who allocates.
//   * A block of the shim's own heap must never reach the real free(). That heap is one of the
//     first mappings of the process and lies above nearly everything else, so one comparison
//     tells. Blocks above it take the longer way, and nothing else comes of it.
#include <stddef.h>
#include <stdint.h>

#include "preload/base/recording_state.h"
#include "preload/hooks/awake_heap.h"
#include "preload/hooks/hook_support.h"

using namespace memtrace::preload;

namespace {

[[gnu::always_inline]] inline bool is_below_own_heap(const void* block) {
    return reinterpret_cast<uintptr_t>(block) < internal_heap_begin;
}

[[gnu::always_inline]] inline bool passes() { return is_asleep(); }
[[gnu::always_inline]] inline bool passes(const void* block) {
    return is_asleep() && is_below_own_heap(block);
}

}  // namespace

MEMTRACE_EXPORT [[gnu::hot]] void* malloc(size_t size) {
    return passes() ? real.malloc(size) : awake::malloc(size);
}

MEMTRACE_EXPORT [[gnu::hot]] void free(void* block) {
    return passes(block) ? real.free(block) : awake::free(block);
}

MEMTRACE_EXPORT [[gnu::hot]] void* calloc(size_t count, size_t size) {
    return passes() ? real.calloc(count, size) : awake::calloc(count, size);
}

MEMTRACE_EXPORT [[gnu::hot]] void* realloc(void* block, size_t size) {
    return passes(block) ? real.realloc(block, size) : awake::realloc(block, size);
}

MEMTRACE_EXPORT [[gnu::hot]] int posix_memalign(void** out, size_t alignment, size_t size) {
    return passes() ? real.posix_memalign(out, alignment, size)
                    : awake::posix_memalign(out, alignment, size);
}

MEMTRACE_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
    return passes() ? real.aligned_alloc(alignment, size) : awake::aligned_alloc(alignment, size);
}

MEMTRACE_EXPORT void* memalign(size_t alignment, size_t size) {
    return passes() ? real.memalign(alignment, size) : awake::memalign(alignment, size);
}

// Programs hardly call the rest.

MEMTRACE_EXPORT void* reallocarray(void* block, size_t count, size_t size) {
    return awake::reallocarray(block, count, size);
}

MEMTRACE_EXPORT void* valloc(size_t size) { return awake::valloc(size); }
MEMTRACE_EXPORT void* pvalloc(size_t size) { return awake::pvalloc(size); }
MEMTRACE_EXPORT void cfree(void* block) { awake::cfree(block); }

MEMTRACE_EXPORT void free_sized(void* block, size_t size) { awake::free_sized(block, size); }

MEMTRACE_EXPORT void free_aligned_sized(void* block, size_t alignment, size_t size) {
    awake::free_aligned_sized(block, alignment, size);
}
