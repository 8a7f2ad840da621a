// SPDX-License-Identifier: Apache-2.0
//
// The source that writes the records of the driver layer in this process: exactly one, or none. The
// dump records it when the driver has answered for the first time, and whenever it changes.
//
//   driver     the hooks of the driver's functions, which come first
//   cupti      the driver's callbacks for profilers: with gpu=cupti, or if the hooks miss calls
//   runtime    the hooks of the runtime library's functions: only with gpu=runtime
//
// CUPTI has one user at a time. Another tool that requests it gets it, and then the hooks write
// again.
#pragma once

#include <cstdint>
#include <string_view>

#include "memtrace/dump/names.h"
#include "preload/cuda/cupti_types.h"

namespace memtrace::preload {

// Choices of the option `gpu`.
enum class GpuChoice : uint64_t { automatic, driver, cupti, runtime, off, crosscheck };

// True if the program receives hooks of the driver's functions. With gpu=off and gpu=runtime it
// receives none.
bool driver_hooks_are_wanted();

// True if the calls that this backend sees are written. The hooks of other backends only pass calls
// on.
bool source_writes(GpuBackend backend);

// True if the calls seen by hooks and by CUPTI are compared.
bool is_crosscheck();

// Called when the driver is ready and the program is not inside one of its calls. Subscribes to
// CUPTI with `callback` if the option requests it.
void driver_is_ready(cupti::Callback callback);

// Called when the program calls cuInit() through the hooks.
void note_cuinit_by_program();

// Called by the driver, inside cuInit(), while it is being initialised. If the program did not come
// through the hooks, the hooks miss calls. Then CUPTI becomes the source even if it was not
// requested.
void driver_is_initialised(cupti::Callback callback);

// Called when a process has woken up. Writes that the source was not chosen as it should have been,
// if the driver was initialised while the process slept.
void note_gpu_after_sleep();

// Called when another tool has taken CUPTI.
void cupti_was_given_away(std::string_view why);

// Writes GpuSource, unless it is already written.
void announce_gpu_backend();

// Writes GpuDevice, unless it is already written. It precedes any record that names the device.
void announce_gpu_device(int device);

// Resets everything for a forked child, which has not seen anything yet.
void forget_gpu_announcements();

}  // namespace memtrace::preload
