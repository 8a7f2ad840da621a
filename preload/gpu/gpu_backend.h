// SPDX-License-Identifier: Apache-2.0
//
// Which source writes the records of the driver layer in this process: exactly one, or none. It is
// said in the dump when the driver has answered for the first time, and whenever it changes:
//
//   driver   the hooks of the driver's functions, which come first
//   cupti    the driver's callbacks for profilers: with gpu=cupti, or where the hooks miss some
//   runtime  the hooks of the runtime library's functions: only with gpu=runtime
//
// CUPTI is for one at a time. Who else wants it gets it, and then the hooks write again.
#pragma once

#include <cstdint>
#include <string_view>

#include "memtrace/dump/names.h"
#include "preload/cuda/cupti_types.h"

namespace memtrace::preload {

// Choices of the option `gpu`.
enum class GpuChoice : uint64_t { automatic, driver, cupti, runtime, off, crosscheck };

// Whether the program is given hooks of the driver's functions, as the option says: with gpu=off
// and with gpu=runtime none at all.
bool driver_hooks_are_wanted();

// Whether what this backend sees is written. Others' hooks only pass their calls on.
bool source_writes(GpuBackend backend);

// Whether what both see is compared.
bool is_crosscheck();

// Called when the driver is ready and the program is not inside a call of it. Subscribes to CUPTI
// with `callback` if that is wanted.
void driver_is_ready(cupti::Callback callback);

// The program calls cuInit() by a way that the hooks know.
void note_cuinit_by_program();

// Called by the driver, from inside cuInit(). If the hooks did not see that call, they miss others
// too, and CUPTI becomes the source although no option requests it.
void driver_is_initialised(cupti::Callback callback);

// Called when another user of CUPTI gets it.
void cupti_was_given_away(std::string_view why);

// Writes GpuSource, unless it was written.
void announce_gpu_backend();

// Writes GpuDevice, unless it was written. It comes before any record that names the device.
void announce_gpu_device(int device);

// A forked child has not seen anything yet.
void forget_gpu_announcements();

}  // namespace memtrace::preload
