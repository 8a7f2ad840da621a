// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/driver_call.h"

#include <errno.h>

#include "memtrace/dump/gpu_refused.h"
#include "preload/base/clock.h"
#include "preload/base/recording_state.h"
#include "preload/base/thread_state.h"
#include "preload/cuda/cuda_handles.h"
#include "preload/cuda/cuda_queries.h"
#include "preload/gpu/driver_coverage.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/gpu/gpu_crosscheck.h"
#include "preload/gpu/look_times.h"
#include "preload/gpu/nvml_usage.h"
#include "preload/recording/record_gpu.h"

namespace memtrace::preload::cuda {
namespace {

uint32_t number_of(Device device) { return device < 0 ? 0 : static_cast<uint32_t>(device); }

}  // namespace

// Callbacks of a crosscheck write nothing. They come while the hook's own call is under way.
DriverCall::DriverCall(Api api, const void* frame, GpuBackend seen_by, const void* place)
    : api_(api),
      seen_by_(seen_by),
      frame_(frame),
      place_(place == nullptr ? frame : place),
      errno_(errno) {
    is_written_ = source_writes(seen_by);
    is_counted_ = is_crosscheck();
    const bool is_outermost = !is_written_ || !is_inside_driver(frame);
    is_recorded_ = is_outermost && thread_state.inside == ThreadMode::program &&
                   (is_written_ || is_counted_) && is_recording();
}

template <class Record>
void DriverCall::put(const Record& record, uint64_t answer) const {
    if (is_counted_) count_in_crosscheck(seen_by_, api_, answer);
    if (is_written_) record_gpu(record, frame_);
}

template <class Record>
void DriverCall::put_release(const Record& record, uint64_t answer) const {
    if (is_counted_) count_in_crosscheck(seen_by_, api_, answer);
    if (is_written_) record_gpu_release(record, began_);
}

DriverCall::~DriverCall() {
    if (!is_recorded_) return;
    // Not from inside a callback, because its caller may hold locks.
    const bool may_ask = is_written_ && seen_by_ != GpuBackend::cupti;
    if (may_ask && touched_ >= 0) measure_nvml_usage(touched_, was_refused_);
    errno = errno_;
}

void DriverCall::begin() {
    if (is_written_) thread_state.driver_call = place_of(place_);
    errno = errno_;
    began_ = ticks_now();
}

void DriverCall::end() {
    errno_ = errno;
    if (is_written_) thread_state.driver_call = 0;
}

DriverCall::Place DriverCall::here() { return {current_device(), current_context()}; }

void DriverCall::acquired(GpuMemory memory, uint64_t address, uint64_t size, Place place,
                          uint64_t pool) {
    announce_gpu_backend();
    announce_gpu_device(place.device);
    GpuAcquire record;
    record.api = api_;
    record.memory = memory;
    record.size = size;
    record.address = address;
    record.device = number_of(place.device);
    record.context = place.context;
    record.pool = pool;
    // Excludes the size of memory owned by others, because only a query can tell it.
    put(record, mixed(memory, address, memory == GpuMemory::imported ? 0 : size));
    touched_ = place.device;
}

void DriverCall::released(uint64_t address) const {
    GpuRelease record;
    record.api = api_;
    record.address = address;
    put_release(record, mixed(address));
}

void DriverCall::retained(PhysicalHandle handle) const {
    GpuRetain record;
    record.api = api_;
    record.handle = handle;
    put(record, mixed(handle));
}

void DriverCall::mapped(uint64_t address, uint64_t size, PhysicalHandle handle,
                        uint64_t offset) const {
    GpuMap record;
    record.api = api_;
    record.address = address;
    record.size = size;
    record.handle = handle;
    record.offset = offset;
    put(record, mixed(address, size, handle, offset));
}

void DriverCall::unmapped(uint64_t address, uint64_t size) const {
    GpuUnmap record;
    record.api = api_;
    record.address = address;
    record.size = size;
    put_release(record, mixed(address, size));
}

void DriverCall::changed_context(GpuContextChange change, uint64_t context, Device device) {
    announce_gpu_backend();
    announce_gpu_device(device);
    GpuContext record;
    record.api = api_;
    record.change = change;
    record.context = context;
    record.device = number_of(device);
    put(record, mixed(change, context));
    touched_ = device;
}

void DriverCall::ended_context(GpuContextChange change, uint64_t context, Device device) const {
    GpuContext record;
    record.api = api_;
    record.change = change;
    record.context = context;
    record.device = number_of(device);
    put_release(record, mixed(change, context));
}

void DriverCall::not_covered(const char* sentence) const {
    if (is_written_) note_gpu_gap(sentence);
}

void DriverCall::refused(uint64_t size, Result result) {
    if (!is_written_) return;
    announce_gpu_backend();
    GpuRefused record;
    record.api = api_;
    record.size = size;
    record.result = static_cast<uint64_t>(result);
    if (is_for_host) {
        record.device = refused_on_host;
        return record_gpu(record, frame_);
    }
    const Device device = device_before >= 0 ? device_before : current_device();
    announce_gpu_device(device);
    look_at_all(device);  // Who held the memory is the question now.
    record.device = number_of(device);
    if (device == current_device()) {
        const Room room = room_of_current_device();
        record.free = room.free;
        record.memory = room.memory;
    }
    record_gpu(record, frame_);
    touched_ = device;
    was_refused_ = true;
}

void DriverCall::measure_before() {
    const Device device = current_device();
    if (device_before >= 0 && device != device_before) return;
    device_before = device;
    if (device >= 0) free_before_ = room_of_current_device().free;
}

void DriverCall::measure_after(uint64_t object) const {
    if (free_before_ == 0 || current_device() != device_before) return;
    const Room room = room_of_current_device();
    if (room.memory == 0) return;
    announce_gpu_device(device_before);
    GpuOverhead record;
    record.api = api_;
    record.object = object;
    record.device = number_of(device_before);
    record.free_before = free_before_;
    record.free_after = room.free;
    record_gpu(record, frame_);
}

void DriverCall::look_at_pool(Handle pool, GpuPoolKind kind) const {
    if (!is_written_) return;
    const Device device = pools.device_of(reinterpret_cast<uint64_t>(pool));
    if (device < 0) return;
    Holding holding;
    const bool is_ours = kind == GpuPoolKind::pool;
    if (is_ours && !holding_of_pool(pool, holding)) return;
    announce_gpu_backend();
    announce_gpu_device(device);
    GpuPool record;
    record.api = api_;
    record.kind = kind;
    record.pool = reinterpret_cast<uint64_t>(pool);
    record.device = number_of(device);
    record.reserved = holding.reserved;
    record.used = holding.used;
    record_gpu(record, frame_);
    if (kind == GpuPoolKind::pool) pool_looks.looked(record.pool, record.reserved, record.used);
}

void DriverCall::look_at_all(Device device) const {
    pool_looks.for_each([&](uint64_t pool) {
        if (pools.device_of(pool) != device) return;
        look_at_pool(reinterpret_cast<Handle>(pool), GpuPoolKind::pool);
    });
    if (has_graph_memory(device)) look_at_graphs(device);
}

void DriverCall::look_at_graphs(Device device) const {
    if (!is_written_) return;
    Holding holding;
    if (device < 0 || !holding_of_graphs(device, holding)) return;
    announce_gpu_device(device);
    GpuPool record;
    record.api = api_;
    record.kind = GpuPoolKind::graph;
    record.device = number_of(device);
    record.reserved = holding.reserved;
    record.used = holding.used;
    record_gpu(record, frame_);
}

}  // namespace memtrace::preload::cuda
