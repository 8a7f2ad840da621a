// SPDX-License-Identifier: Apache-2.0
//
// What the hooks have to remember between two calls of the driver: of which device a context or a
// pool is, and which is the primary context of a device. The driver does not tell these when they
// are needed. A few small numbers; nobody waits for anybody.
#pragma once

#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Devices of handles. What does not find a place is not known later.
class HandleTable {
public:
    void remember(uint64_t handle, Device device);
    void forget(uint64_t handle);
    Device device_of(uint64_t handle) const;  // no_device: not known
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

// The device of a pool that is on the host.
inline constexpr Device on_host = -2;

void remember_primary_context(Device device, uint64_t context);
uint64_t primary_context_of(Device device);

// Whether it is there, as far as was seen; needed only where the driver cannot be asked.
bool primary_context_is_alive(Device device);
void context_has_ended(uint64_t context);

// From which pool a device gives what is asked of no pool. 0: nobody has said it.
void remember_current_pool(Device device, uint64_t pool);
uint64_t current_pool_of(Device device);

// A forked child has none of its parent's.
void forget_handles();

}  // namespace memtrace::preload::cuda
