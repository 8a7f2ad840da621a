// SPDX-License-Identifier: Apache-2.0
//
// What we ask the driver ourselves, around the program's calls: never from inside a record, since
// the driver may allocate for its answer (that is recorded like any other allocation of its own).
// Where it has no answer, or the question may not be put now, the answer is "not known".
//
// While a stream is captured into a graph, many questions spoil the capture. The driver has a way
// to say that this thread means no harm (cuThreadExchangeStreamCaptureMode), and we say it each
// time.
//
// While the driver calls us back (CUPTI), nothing may be asked at all. Then `told` is what the call
// itself tells, and all else is what was learned before, or not known.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_callback_context.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Learns what can only be asked now: the driver's version, and what its devices are.
void ask_about_devices();

uint64_t driver_version();

struct DeviceAnswer {
    uint64_t memory = 0;
    char pci[32] = {};
    char model[128] = {};
};
DeviceAnswer about_device(Device device);

// Of this thread.
uint64_t current_context();
Device current_device();

// Bytes of the current device; both 0: not known.
struct Room {
    uint64_t free = 0;
    uint64_t memory = 0;
};
Room room_of_current_device();

bool primary_context_is_active(Device device);

// Of memory at an address.
struct Origin {
    Device device = no_device;
    uint64_t pool = 0;
    bool is_on_host = false;
};
// `pool` is the one that was asked for it; nullptr: the current one of the device.
Origin origin_of(DevicePointer address, Handle pool);
uint64_t size_at(DevicePointer address);

// What a pool, or all graphs of a device, hold. False: not known.
struct Holding {
    uint64_t reserved = 0;
    uint64_t used = 0;
};
bool holding_of_pool(Handle pool, Holding& holding);
bool holding_of_graphs(Device device, Holding& holding);

bool is_captured(Handle stream, bool is_per_thread);

Location location_of(PhysicalHandle handle);

}  // namespace memtrace::preload::cuda
