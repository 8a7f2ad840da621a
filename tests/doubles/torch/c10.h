// SPDX-License-Identifier: Apache-2.0
//
// What libc10.so declares for allocators, with the names of the real one.
#pragma once

#include <cstddef>
#include <cstdint>

#define TORCH_DOUBLE __attribute__((visibility("default")))

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, XPU = 12 };

struct Device {
    DeviceType type;
    int8_t index;
};

TORCH_DOUBLE void reportMemoryUsageToProfiler(void* ptr, int64_t alloc_size, size_t total_allocated,
                                              size_t total_reserved, Device device);
TORCH_DOUBLE void reportOutOfMemoryToProfiler(int64_t alloc_size, size_t total_allocated,
                                              size_t total_reserved, Device device);
// Before PyTorch 1.12.
TORCH_DOUBLE void reportMemoryUsageToProfiler(void* ptr, int64_t alloc_size, Device device);

}  // namespace c10

// What arrived at libc10.so: the sum of all sizes, and the number of calls.
extern "C" TORCH_DOUBLE void double_c10_arrived(int64_t* bytes, uint64_t* reports,
                                                uint64_t* refusals);
