// SPDX-License-Identifier: Apache-2.0
//
// When to ask the driver what a pool or the graphs of a device hold. That changes when a request
// exceeds it, when a graph is launched for the first time, and when the device becomes idle. A
// query at each call would cost more than the call itself. So each pool and each graph has its own
// count of calls: it is asked at the first, when a pool has handed out more than it had left, and
// at each 16th since it was asked last.
//
// The table is small and lock-free. A handle that pushes another one out is asked at once, and so
// is the other when it comes back: what is forgotten costs a query, and no memory is missed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

class LookTimes {
public:
    static constexpr uint32_t look_every = 16;

    // Counts a call that takes `size` bytes by this pool or graph. Returns true if it is time to
    // ask.
    bool is_time(uint64_t handle, uint64_t size);

    // It was asked, and has so much. If a pool was asked because nothing of it seemed to be left,
    // and it had not grown, the next such time comes after twice as many calls, up to look_every.
    void looked(uint64_t handle, uint64_t reserved, uint64_t used);

    // All are asked again at their next call: what they hold may have changed by another call.
    void start_over();
    void forget(uint64_t handle);
    void clear();

    // Calls each(handle) for the handles that are in the table.
    template <class Each>
    void for_each(Each&& each) const {
        for (const Place& place : table_) {
            const uint64_t handle = place.handle.load(std::memory_order_relaxed);
            if (handle != 0) each(handle);
        }
    }

private:
    static constexpr size_t places = 256;

    // Threads that count at the same time may ask once more, or at the 17th.
    struct Place {
        std::atomic<uint64_t> handle{0};
        std::atomic<uint32_t> calls{0};  // since it was asked, which is the first; 0: ask
        std::atomic<uint32_t> pause{1};
        std::atomic<uint64_t> reserved{0};
        std::atomic<int64_t> left{0};
    };

    Place& place_of(uint64_t handle);

    Place table_[places];
};

extern LookTimes pool_looks;
extern LookTimes graph_looks;

// The devices on which graphs have memory, as far as was seen.
void note_graph_memory(Device device);
bool has_graph_memory(Device device);
bool has_graph_memory();  // of any
// Calls each(device) for these devices.
template <class Each>
void for_each_graph_device(Each&& each) {
    constexpr Device devices_max = 64;
    for (Device device = 0; device < devices_max; ++device) {
        if (has_graph_memory(device)) each(device);
    }
}

// A forked child has none of its parent's pools and graphs.
void forget_looks();

}  // namespace memtrace::preload::cuda
