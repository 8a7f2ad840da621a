// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_handles.h"

namespace memtrace::preload::cuda {
namespace {

constexpr Device devices_max = 64;
uint64_t primary_contexts[devices_max];
uint64_t ended_primary_contexts;  // one bit for each device
uint64_t current_pools[devices_max];

bool is_known(Device device) { return device >= 0 && device < devices_max; }

uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

}  // namespace

HandleTable contexts;
HandleTable pools;

// A place belongs to its handle until the handle is forgotten. The thread that takes the place then
// writes the device. A reader in between finds the device unknown.
void HandleTable::remember(uint64_t handle, Device device) {
    if (handle == 0) return;
    Place* free = nullptr;
    for (Place& place : table_) {
        const uint64_t taken = load(place.handle);
        if (taken == handle || (taken == 0 && free == nullptr)) free = &place;
        if (taken == handle) break;
    }
    if (free == nullptr) return;
    uint64_t expected = load(free->handle);
    if (expected != handle &&
        (expected != 0 || !__atomic_compare_exchange_n(&free->handle, &expected, handle, false,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))) {
        return remember(handle, device);  // Another thread took the place meanwhile.
    }
    __atomic_store_n(&free->device, int64_t{device} + 1, __ATOMIC_RELEASE);
}

void HandleTable::forget(uint64_t handle) {
    for (Place& place : table_) {
        if (handle == 0 || load(place.handle) != handle) continue;
        __atomic_store_n(&place.device, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&place.handle, 0, __ATOMIC_RELEASE);
    }
}

Device HandleTable::device_of(uint64_t handle) const {
    for (const Place& place : table_) {
        if (handle == 0 || load(place.handle) != handle) continue;
        return static_cast<Device>(__atomic_load_n(&place.device, __ATOMIC_ACQUIRE) - 1);
    }
    return no_device;
}

void HandleTable::clear() {
    for (Place& place : table_) place = {};
}

void remember_primary_context(Device device, uint64_t context) {
    if (!is_known(device)) return;
    __atomic_store_n(&primary_contexts[device], context, __ATOMIC_RELEASE);
    __atomic_fetch_and(&ended_primary_contexts, ~(uint64_t{1} << device), __ATOMIC_RELEASE);
}

uint64_t primary_context_of(Device device) {
    return is_known(device) ? load(primary_contexts[device]) : 0;
}

bool primary_context_is_alive(Device device) {
    return primary_context_of(device) != 0 &&
           (load(ended_primary_contexts) & (uint64_t{1} << device)) == 0;
}

void context_has_ended(uint64_t context) {
    for (Device device = 0; device < devices_max; ++device) {
        if (context == 0 || load(primary_contexts[device]) != context) continue;
        __atomic_fetch_or(&ended_primary_contexts, uint64_t{1} << device, __ATOMIC_RELEASE);
    }
}

void remember_current_pool(Device device, uint64_t pool) {
    if (is_known(device)) __atomic_store_n(&current_pools[device], pool, __ATOMIC_RELEASE);
}

uint64_t current_pool_of(Device device) {
    return is_known(device) ? load(current_pools[device]) : 0;
}

void forget_handles() {
    contexts.clear();
    pools.clear();
    for (uint64_t& context : primary_contexts) context = 0;
    for (uint64_t& pool : current_pools) pool = 0;
    ended_primary_contexts = 0;
}

}  // namespace memtrace::preload::cuda
