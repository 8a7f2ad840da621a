// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/look_times.h"

namespace memtrace::preload::cuda {
namespace {

std::atomic<uint64_t> graph_devices{0};  // a bit for each

bool is_known(Device device) { return device >= 0 && device < 64; }

template <class Number>
void set(std::atomic<Number>& place, Number value) {
    place.store(value, std::memory_order_relaxed);
}

template <class Number>
Number get(const std::atomic<Number>& place) {
    return place.load(std::memory_order_relaxed);
}

}  // namespace

LookTimes pool_looks;
LookTimes graph_looks;

LookTimes::Place& LookTimes::place_of(uint64_t handle) {
    // Handles are addresses, whose lowest bits are alike.
    Place& place = table_[(handle * 0x9e3779b97f4a7c15) >> 56];
    if (get(place.handle) == handle) return place;
    set(place.handle, handle);
    set(place.calls, uint32_t{0});
    set(place.pause, uint32_t{1});
    set(place.reserved, uint64_t{0});
    set(place.left, int64_t{0});
    return place;
}

bool LookTimes::is_time(uint64_t handle, uint64_t size) {
    Place& place = place_of(handle);
    const auto bytes = static_cast<int64_t>(size);
    const uint32_t calls = place.calls.fetch_add(1, std::memory_order_relaxed);
    const int64_t left = place.left.fetch_sub(bytes, std::memory_order_relaxed) - bytes;
    return calls == 0 || calls >= look_every || (left < 0 && calls >= get(place.pause));
}

void LookTimes::looked(uint64_t handle, uint64_t reserved, uint64_t used) {
    Place& place = place_of(handle);
    const uint32_t twice = get(place.pause) * 2;
    const bool was_in_vain = get(place.left) < 0 && get(place.reserved) == reserved;
    set(place.pause, was_in_vain ? (twice < look_every ? twice : look_every) : uint32_t{1});
    set(place.reserved, reserved);
    set(place.left, static_cast<int64_t>(reserved - (used < reserved ? used : reserved)));
    set(place.calls, uint32_t{1});
}

void LookTimes::start_over() {
    for (Place& place : table_) set(place.calls, uint32_t{0});
}

void LookTimes::forget(uint64_t handle) {
    for (Place& place : table_) {
        if (get(place.handle) == handle) set(place.handle, uint64_t{0});
    }
}

void LookTimes::clear() {
    for (Place& place : table_) set(place.handle, uint64_t{0});
}

void note_graph_memory(Device device) {
    // A graph that was made anew may have the handle of one that is gone.
    graph_looks.start_over();
    if (is_known(device)) graph_devices.fetch_or(uint64_t{1} << device, std::memory_order_relaxed);
}

bool has_graph_memory(Device device) {
    return is_known(device) && (get(graph_devices) >> device & 1) != 0;
}

bool has_graph_memory() { return get(graph_devices) != 0; }

void forget_looks() {
    pool_looks.clear();
    graph_looks.clear();
    graph_devices.store(0);
}

}  // namespace memtrace::preload::cuda
