// SPDX-License-Identifier: Apache-2.0
//
// What the hooks of the malloc family do in a process that does not sleep: they call the real
// function, and record. The hooks jump here, so these frames stand in their place.
#pragma once

#include <stddef.h>

namespace memtrace::preload::awake {

void* malloc(size_t size);
void* calloc(size_t count, size_t size);
void* realloc(void* block, size_t size);
void* reallocarray(void* block, size_t count, size_t size);
void free(void* block);
void free_sized(void* block, size_t size);
void free_aligned_sized(void* block, size_t alignment, size_t size);
void cfree(void* block);
int posix_memalign(void** out, size_t alignment, size_t size);
void* aligned_alloc(size_t alignment, size_t size);
void* memalign(size_t alignment, size_t size);
void* valloc(size_t size);
void* pvalloc(size_t size);

}  // namespace memtrace::preload::awake
