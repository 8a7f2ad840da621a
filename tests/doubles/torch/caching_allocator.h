// SPDX-License-Identifier: Apache-2.0
//
// libc10_cuda.so: a small caching allocator. It takes segments from the runtime by cudaMalloc, cuts
// blocks off them, joins neighbours that are free again, and reports as the real one does.
//
// The functions are C's, so a test needs no header of C++, and neither does Python.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns a block of at least `size` bytes of device memory, or null if the runtime gave nothing
// more.
void* double_torch_alloc(int device, size_t size);
void double_torch_free(void* block);

// Releases all segments without a block.
void double_torch_empty_cache(void);

// The allocator's own count: bytes of blocks, bytes of segments.
void double_torch_statistics(int device, uint64_t* allocated, uint64_t* reserved);

// Reports in the form of other parts of PyTorch, or of other versions.
void double_torch_report_host_memory(void* block, int64_t size);
void double_torch_report_other_device(void* block, int64_t size, int index);
void double_torch_report_old_way(void* block, int64_t size, int index);

#ifdef __cplusplus
}
#endif
