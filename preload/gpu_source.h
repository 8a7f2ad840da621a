// SPDX-License-Identifier: Apache-2.0
//
// Which source writes the records of the driver layer in this process: exactly one, or none. It is
// said in the dump once, when the driver has answered for the first time.
#pragma once

#include <cstdint>

#include "memtrace/names.h"

namespace memtrace::preload {

// Choices of the option `gpu`.
enum class GpuChoice : uint64_t { automatic, driver, cupti, runtime, off };

// Whether the program is given hooks of the driver's functions, as the option says: with gpu=off
// none at all.
bool driver_hooks_are_wanted();

// Whether hooks of the driver's functions write records. Others' hooks only pass their calls on.
bool driver_hooks_record();

// Writes GpuSource, unless it was written. Asks the driver for its version.
void announce_gpu_source();

// Writes GpuDevice, unless it was written. It comes before any record that names the device.
void announce_gpu_device(int device);

// A forked child has not seen anything yet.
void forget_gpu_announcements();

}  // namespace memtrace::preload
