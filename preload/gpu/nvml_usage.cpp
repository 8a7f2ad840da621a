// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/nvml_usage.h"

#include <dlfcn.h>

#include <atomic>

#include "preload/base/clock.h"
#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/cuda/cuda_library.h"
#include "preload/cuda/cuda_queries.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/loader/loader_call.h"
#include "preload/loader/next_dlsym.h"
#include "preload/recording/record_gpu.h"

namespace memtrace::preload {
namespace {

constexpr unsigned devices_max = 64;
constexpr unsigned processes_max = 256;
constexpr int nvml_success = 0;

// Declarations as in nvml.h.
using NvmlDevice = struct NvmlDeviceObject*;
struct NvmlMemory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

struct Nvml {
    int (*nvmlInit_v2)() = nullptr;
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char* id, NvmlDevice* device) = nullptr;
    int (*nvmlDeviceGetMemoryInfo)(NvmlDevice device, NvmlMemory* memory) = nullptr;
    int (*nvmlDeviceGetComputeRunningProcesses_v3)(NvmlDevice device, unsigned* count,
                                                   NvmlProcess* processes) = nullptr;
};

enum class State : uint8_t { unknown, ready, absent };

// All of this belongs to the thread that holds `busy`. A thread that does not get it leaves the
// sample to the holder.
std::atomic<bool> busy{false};
State state = State::unknown;
Nvml nvml;
NvmlDevice devices[devices_max];
NvmlProcess processes[processes_max];
std::atomic<uint64_t> next_time{0};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(real_dlsym()(library, name));
    return function != nullptr;
}

bool load() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    const bool is_whole =
        library != nullptr && find(library, "nvmlInit_v2", nvml.nvmlInit_v2) &&
        find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.nvmlDeviceGetHandleByPciBusId_v2) &&
        find(library, "nvmlDeviceGetMemoryInfo", nvml.nvmlDeviceGetMemoryInfo) &&
        nvml.nvmlInit_v2() == nvml_success;
    if (is_whole) {
        find(library, "nvmlDeviceGetComputeRunningProcesses_v3",
             nvml.nvmlDeviceGetComputeRunningProcesses_v3);
    }
    drop_loader_message();  // Must not be the program's next error.
    return is_whole;
}

NvmlDevice handle_of(cuda::Device device) {
    NvmlDevice& handle = devices[device];
    if (handle == nullptr) {
        // Found by its PCI bus id, because NVML numbers devices differently.
        const cuda::DeviceAnswer about = cuda::about_device(device);
        if (nvml.nvmlDeviceGetHandleByPciBusId_v2(about.pci, &handle) != nvml_success) {
            handle = nullptr;
        }
    }
    return handle;
}

uint64_t used_by_this_process(NvmlDevice device) {
    if (nvml.nvmlDeviceGetComputeRunningProcesses_v3 == nullptr) return usage_not_available;
    unsigned count = processes_max;
    if (nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes) != nvml_success) {
        return usage_not_available;
    }
    return usage_of(static_cast<unsigned>(sys::pid()), processes, count);
}

void measure(cuda::Device device) {
    if (state == State::unknown) state = load() ? State::ready : State::absent;
    if (state != State::ready) return;
    NvmlDevice const handle = handle_of(device);
    NvmlMemory memory{};
    if (handle == nullptr || nvml.nvmlDeviceGetMemoryInfo(handle, &memory) != nvml_success) return;
    GpuUsage record;
    record.device = static_cast<uint32_t>(device);
    record.memory = memory.total;
    record.scope = GpuUsageScope::process;
    record.used = used_by_this_process(handle);
    if (record.used == usage_not_available) {
        record.scope = GpuUsageScope::device;
        record.used = memory.used;
    }
    announce_gpu_device(device);
    record_gpu(record, nullptr);
}

}  // namespace

uint64_t usage_of(unsigned pid, const NvmlProcess* all, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        if (all[i].pid == pid) return all[i].used;
    }
    return count == 1 ? all[0].used : usage_not_available;
}

void measure_nvml_usage(cuda::Device device, bool at_once) {
    if (!options.gpu_usage || device < 0 || device >= static_cast<int>(devices_max)) return;
    const uint64_t now = ticks_now();
    if (!at_once && now < next_time.load(std::memory_order_relaxed)) return;
    if (!is_recording() || busy.exchange(true, std::memory_order_acquire)) return;
    next_time.store(now + ticks.per_second, std::memory_order_relaxed);
    measure(device);
    busy.store(false, std::memory_order_release);
}

void forget_nvml_usage() {
    state = State::unknown;
    next_time.store(0);
    busy.store(false);
    for (NvmlDevice& device : devices) device = nullptr;
}

}  // namespace memtrace::preload
