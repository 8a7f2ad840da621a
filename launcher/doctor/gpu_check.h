// SPDX-License-Identifier: Apache-2.0
//
// The GPU's driver on this machine.
#pragma once

#include <string>
#include <string_view>

#include "launcher/doctor/finding.h"

namespace memtrace::launcher {

struct GpuFacts {
    std::string kernel_driver;  // its version, of /proc/driver/nvidia/version; empty: none
    bool has_devices = false;   // /dev/nvidia0 and the like
    bool has_library = false;   // the loader finds libcuda.so.1
    int cuda = 0;               // the CUDA that the driver is for, 13000 for 13.0; 0: not known
    bool has_amd = false;       // /dev/kfd
};

// `root` is prepended to the paths of /proc and /dev. The library is loaded into this process, and
// is not initialised.
GpuFacts read_gpu(std::string_view root = "");

Finding judge_gpu(const GpuFacts& facts);

}  // namespace memtrace::launcher
