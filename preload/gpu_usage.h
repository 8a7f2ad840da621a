// SPDX-License-Identifier: Apache-2.0
//
// What is taken of a device, by a second witness: NVIDIA's management library, which nvidia-smi
// asks, too. It tells of what the hooks cannot see, and so lets the report say how much that is.
//
// It is loaded when the process has first been given memory of a device, asked at most once a
// second, around a call of the driver that takes long anyway, and never from inside malloc.
#pragma once

#include <cstdint>

#include "preload/cuda_types.h"

namespace memtrace::preload {

// After a call of the driver that changed what the process holds of a device: writes GpuUsage if it
// is time. `at_once`: in any case.
void measure_gpu_usage(cuda::Device device, bool at_once);

// A forked child asks anew.
void forget_gpu_usage();

}  // namespace memtrace::preload
