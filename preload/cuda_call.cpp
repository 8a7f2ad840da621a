// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda_call.h"

#include <errno.h>

#include "preload/clock.h"
#include "preload/cuda_coverage.h"
#include "preload/cuda_handles.h"
#include "preload/cuda_questions.h"
#include "preload/gpu_source.h"
#include "preload/gpu_usage.h"
#include "preload/record_gpu.h"
#include "preload/thread.h"

namespace memtrace::preload::cuda {
namespace {

uint32_t number_of(Device device) { return device < 0 ? 0 : static_cast<uint32_t>(device); }

}  // namespace

DriverCall::DriverCall(Api api, const void* frame) : api_(api), frame_(frame), errno_(errno) {
    is_recorded_ = !is_inside_driver(frame) && thread_state.inside == Inside::program &&
                   driver_hooks_record();
}

DriverCall::~DriverCall() {
    if (!is_recorded_) return;
    if (touched_ >= 0) measure_gpu_usage(touched_, was_refused_);
    errno = errno_;
}

void DriverCall::begin() {
    thread_state.driver_call = place_of(frame_);
    errno = errno_;
    began_ = ticks_now();
}

void DriverCall::end() {
    errno_ = errno;
    thread_state.driver_call = 0;
}

DriverCall::Place DriverCall::here() { return {current_device(), current_context()}; }

void DriverCall::acquired(GpuMemory memory, uint64_t address, uint64_t size, Place place,
                          uint64_t pool) {
    announce_gpu_source();
    announce_gpu_device(place.device);
    GpuAcquire record;
    record.api = api_;
    record.memory = memory;
    record.size = size;
    record.address = address;
    record.device = number_of(place.device);
    record.context = place.context;
    record.pool = pool;
    record_gpu(record, frame_);
    touched_ = place.device;
}

void DriverCall::released(uint64_t address) const {
    GpuRelease record;
    record.api = api_;
    record.address = address;
    record_gpu_release(record, began_);
}

void DriverCall::retained(PhysicalHandle handle) const {
    GpuRetain record;
    record.api = api_;
    record.handle = handle;
    record_gpu(record, frame_);
}

void DriverCall::mapped(uint64_t address, uint64_t size, PhysicalHandle handle,
                        uint64_t offset) const {
    GpuMap record;
    record.api = api_;
    record.address = address;
    record.size = size;
    record.handle = handle;
    record.offset = offset;
    record_gpu(record, frame_);
}

void DriverCall::unmapped(uint64_t address, uint64_t size) const {
    GpuUnmap record;
    record.api = api_;
    record.address = address;
    record.size = size;
    record_gpu_release(record, began_);
}

void DriverCall::changed_context(GpuContextChange change, uint64_t context, Device device) {
    announce_gpu_source();
    announce_gpu_device(device);
    GpuContext record;
    record.api = api_;
    record.change = change;
    record.context = context;
    record.device = number_of(device);
    record_gpu(record, frame_);
    touched_ = device;
}

void DriverCall::ended_context(GpuContextChange change, uint64_t context, Device device) const {
    GpuContext record;
    record.api = api_;
    record.change = change;
    record.context = context;
    record.device = number_of(device);
    record_gpu_release(record, began_);
}

void DriverCall::not_covered(const char* sentence) const { note_gpu_gap(sentence); }

void DriverCall::refused(uint64_t size, Result result) {
    const Device device = device_before >= 0 ? device_before : current_device();
    announce_gpu_source();
    announce_gpu_device(device);
    GpuRefused record;
    record.api = api_;
    record.size = size;
    record.device = number_of(device);
    record.result = static_cast<uint64_t>(result);
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
    const Device device = pools.device_of(reinterpret_cast<uint64_t>(pool));
    if (device < 0) return;
    Holding holding;
    const bool is_ours = kind == GpuPoolKind::pool;
    if (is_ours && !holding_of_pool(pool, holding)) return;
    announce_gpu_source();
    announce_gpu_device(device);
    GpuPool record;
    record.api = api_;
    record.kind = kind;
    record.pool = reinterpret_cast<uint64_t>(pool);
    record.device = number_of(device);
    record.reserved = holding.reserved;
    record.used = holding.used;
    record_gpu(record, frame_);
}

void DriverCall::look_at_graphs(Device device) const {
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
