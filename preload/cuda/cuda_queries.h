// SPDX-License-Identifier: Apache-2.0
//
// Queries that the shim sends to the driver, around the program's calls. They never run while a
// record is being written, because the driver may allocate for its answer. Such an allocation is
// recorded like any other allocation of the driver. If the driver has no answer, or a query is not
// allowed now, the result is "not known".
//
// While a stream is captured into a graph, many queries invalidate the capture.
// cuThreadExchangeStreamCaptureMode declares this thread's calls harmless, and each query uses it.
//
// During a callback of the driver (CUPTI), no query is allowed. The results then come from the
// callback context and from earlier queries, or are not known.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_callback_context.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Stores the answers that are only available now: the driver's version and the properties of its
// devices.
void ask_about_devices();

uint64_t driver_version();

struct DeviceAnswer {
    uint64_t memory = 0;
    char pci[32] = {};
    char model[128] = {};
};
DeviceAnswer about_device(Device device);

// The current context and device of this thread.
uint64_t current_context();
Device current_device();

// Bytes of the current device. Both are 0 if not known.
struct Room {
    uint64_t free = 0;
    uint64_t memory = 0;
};
Room room_of_current_device();

bool primary_context_is_active(Device device);

// The device and pool of memory at an address.
struct Origin {
    Device device = no_device;
    uint64_t pool = 0;
    bool is_on_host = false;
};
// `pool` is the pool that the call named. nullptr means the device's current pool.
Origin origin_of(DevicePointer address, Handle pool);
uint64_t size_at(DevicePointer address);

// Bytes held by a pool, or by all graphs of a device. The functions return false if not known.
struct Holding {
    uint64_t reserved = 0;
    uint64_t used = 0;
};
bool holding_of_pool(Handle pool, Holding& holding);
bool holding_of_graphs(Device device, Holding& holding);

bool is_captured(Handle stream, bool is_per_thread);

Location location_of(PhysicalHandle handle);

}  // namespace memtrace::preload::cuda
