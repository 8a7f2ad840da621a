// SPDX-License-Identifier: Apache-2.0
//
// What the hooks remember between calls of the driver: the device of each context and pool, and the
// primary context of each device. The driver does not report these when they are needed. The tables
// are small and lock-free.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Devices of handles. A handle that finds no free place is not known later.
class HandleTable {
public:
    void remember(uint64_t handle, Device device);
    void forget(uint64_t handle);
    Device device_of(uint64_t handle) const;  // no_device if not known
    void clear();

private:
    static constexpr unsigned places = 512;
    struct Place {
        uint64_t handle;
        int64_t device;
    };
    Place table_[places] = {};
};

extern HandleTable contexts;
extern HandleTable pools;

// The device of a pool in host memory.
inline constexpr Device on_host = -2;

void remember_primary_context(Device device, uint64_t context);
uint64_t primary_context_of(Device device);

// True if the primary context exists, as far as was seen. Used only while the driver cannot be
// queried.
bool primary_context_is_alive(Device device);
void context_has_ended(uint64_t context);

// The pool that a device uses if a call names no pool. 0 if it was never set.
void remember_current_pool(Device device, uint64_t pool);
uint64_t current_pool_of(Device device);

// A forked child has none of its parent's handles.
void forget_handles();

}  // namespace memtrace::preload::cuda
