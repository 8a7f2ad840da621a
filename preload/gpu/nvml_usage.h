// SPDX-License-Identifier: Apache-2.0
//
// Device memory in use, from a second source: NVIDIA's management library (NVML), which nvidia-smi
// uses too. It includes what the hooks cannot see, so the report can state how much that is.
//
// The library is loaded when the process has first received memory of a device. It is queried at
// most once a second, around a call of the driver that takes long anyway, and never from inside
// malloc.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload {

// Writes GpuUsage if a sample is due, after a call of the driver that changed what the process
// holds of a device. With `at_once` it writes in any case.
void measure_nvml_usage(cuda::Device device, bool at_once);

// A process that uses a device, declared as in nvml.h.
struct NvmlProcess {
    unsigned pid;
    unsigned long long used;  // bytes, or usage_not_available
    unsigned gpu_instance;
    unsigned compute_instance;
};
static_assert(sizeof(NvmlProcess) == 24);

inline constexpr uint64_t usage_not_available = ~uint64_t{0};

// Returns the bytes that the process `pid` holds, given all processes that use the device. In a
// container the process has another number than the one that NVML reports. If only one process uses
// the device, it is taken for this one.
uint64_t usage_of(unsigned pid, const NvmlProcess* all, unsigned count);

// Resets everything, so that a forked child starts afresh.
void forget_nvml_usage();

}  // namespace memtrace::preload
