// SPDX-License-Identifier: Apache-2.0
//
// One call of the driver by the program, and the records that it leaves in the dump. Of nested
// calls only the outermost is recorded. The driver's calls to itself are internal.
//
// During a call, new mappings of this thread belong to the driver (MapPurpose::gpu_driver).
#pragma once

#include <cstdint>

#include "memtrace/dump/gpu_records.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

class DriverCall {
public:
    // `frame` is the hook's own frame (see MEMTRACE_FRAME). `seen_by` is the backend of the hook.
    // One backend writes; in a crosscheck the other backend's calls are only counted. `place` is an
    // address on the stack below which the driver works, if that is not the frame.
    DriverCall(Api api, const void* frame, GpuBackend seen_by = GpuBackend::driver,
               const void* place = nullptr);
    ~DriverCall();
    DriverCall(const DriverCall&) = delete;
    DriverCall& operator=(const DriverCall&) = delete;

    bool is_recorded() const { return is_recorded_; }
    bool is_written() const { return is_written_; }  // and not only counted

    // Mark the last moment before the real call, and the first moment after it.
    void begin();
    void end();

    // Sets the frame of the current hook, after the first hook has returned. CUPTI calls once
    // before and once after.
    void is_now_in(const void* frame) { frame_ = frame; }

    // The current device and context, for memory that belongs to a context.
    struct Place {
        Device device;
        uint64_t context;
    };
    static Place here();
    static Place on(Device device) { return {device, 0}; }

    void acquired(GpuMemory memory, uint64_t address, uint64_t size, Place place,
                  uint64_t pool = 0);
    void released(uint64_t address) const;
    void retained(PhysicalHandle handle) const;
    void mapped(uint64_t address, uint64_t size, PhysicalHandle handle, uint64_t offset) const;
    void unmapped(uint64_t address, uint64_t size) const;
    void changed_context(GpuContextChange change, uint64_t context, Device device);
    void ended_context(GpuContextChange change, uint64_t context, Device device) const;
    void not_covered(const char* sentence) const;
    void refused(uint64_t size, Result result);

    // Measure the free memory of the current device before and after a call by which the driver
    // takes memory for itself.
    void measure_before();
    void measure_after(uint64_t object) const;

    // Record what a pool on a device holds now, or what the graphs of a device hold.
    void look_at_pool(Handle pool, GpuPoolKind kind) const;
    void look_at_graphs(Device device) const;
    // The same of all pools and graphs of a device.
    void look_at_all(Device device) const;

    // Facts that a hook found before the call.
    uint64_t context_before = 0;
    Device device_before = -1;
    bool is_per_thread = false;  // per-thread default stream, not the legacy one
    bool was_active = false;
    bool was_captured = false;
    bool is_for_host = false;  // the arguments ask for memory of the host; used if it is refused

private:
    // `answer` is the number that a crosscheck compares.
    template <class Record>
    void put(const Record& record, uint64_t answer) const;
    template <class Record>
    void put_release(const Record& record, uint64_t answer) const;

    Api api_;
    GpuBackend seen_by_;
    const void* frame_;
    const void* place_;
    uint64_t began_ = 0;
    int errno_ = 0;
    uint64_t free_before_ = 0;
    Device touched_ = -1;  // the device whose memory the call changed
    bool was_refused_ = false;
    bool is_written_;
    bool is_counted_;
    bool is_recorded_;
};

}  // namespace memtrace::preload::cuda
