// SPDX-License-Identifier: Apache-2.0
//
// What is taken of a device, by a second witness: NVIDIA's management library, which nvidia-smi
// asks, too. It tells of what the hooks cannot see, and so lets the report say how much that is.
//
// It is loaded when the process has first been given memory of a device, asked at most once a
// second, around a call of the driver that takes long anyway, and never from inside malloc.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload {

// After a call of the driver that changed what the process holds of a device: writes GpuUsage if it
// is time. `at_once`: in any case.
void measure_nvml_usage(cuda::Device device, bool at_once);

// As nvml.h declares it: a process that uses a device.
struct NvmlProcess {
    unsigned pid;
    unsigned long long used;  // bytes, or usage_not_available
    unsigned gpu_instance;
    unsigned compute_instance;
};
static_assert(sizeof(NvmlProcess) == 24);

inline constexpr uint64_t usage_not_available = ~uint64_t{0};

// What the process has of a device that these use. In a container its number is not the one that
// the management library knows: if one process alone uses the device, it is this one.
uint64_t usage_of(unsigned pid, const NvmlProcess* all, unsigned count);

// A forked child asks anew.
void forget_nvml_usage();

}  // namespace memtrace::preload
