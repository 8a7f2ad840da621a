// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu_source.h"

#include <atomic>

#include "preload/cuda_questions.h"
#include "preload/options.h"
#include "preload/process.h"
#include "preload/record_gpu.h"

namespace memtrace::preload {
namespace {

std::atomic<bool> source_is_known{false};
std::atomic<uint64_t> known_devices{0};

constexpr int devices_max = 64;  // bits of known_devices; later ones are said each time

GpuChoice choice() { return static_cast<GpuChoice>(options.gpu); }

}  // namespace

bool driver_hooks_are_wanted() {
    return choice() != GpuChoice::off;
}

bool driver_hooks_record() {
    return (choice() == GpuChoice::automatic || choice() == GpuChoice::driver) && is_recording();
}

void announce_gpu_source() {
    if (source_is_known.load(std::memory_order_acquire) || !is_recording()) return;
    if (choice() == GpuChoice::off) return;  // The option says it, and is in the dump.
    GpuSource record;
    record.driver_version = cuda::driver_version();
    switch (choice()) {
        case GpuChoice::automatic:
            record.backend = GpuBackend::driver;
            record.why = "hooks of the driver's functions come first";
            break;
        case GpuChoice::driver:
            record.backend = GpuBackend::driver;
            record.why = "gpu=driver";
            break;
        case GpuChoice::cupti: record.why = "gpu=cupti, which this version cannot do"; break;
        case GpuChoice::runtime: record.why = "gpu=runtime, which this version cannot do"; break;
        case GpuChoice::off: break;
    }
    record_gpu(record, nullptr);
    source_is_known.store(true, std::memory_order_release);
}

void announce_gpu_device(int device) {
    const uint64_t bit = device >= 0 && device < devices_max ? uint64_t{1} << device : 0;
    if (device < 0 || (known_devices.load(std::memory_order_acquire) & bit) != 0) return;
    const cuda::DeviceAnswer answer = cuda::about_device(device);
    GpuDevice record;
    record.device = static_cast<uint32_t>(device);
    record.memory = answer.memory;
    record.pci = answer.pci;
    record.model = answer.model;
    record_gpu(record, nullptr);
    // Only now, so that nobody names it before: two threads may both say it.
    known_devices.fetch_or(bit, std::memory_order_release);
}

void forget_gpu_announcements() {
    source_is_known.store(false);
    known_devices.store(0);
}

}  // namespace memtrace::preload
