// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_queries.h"

#include <atomic>

#include "preload/cuda/cuda_handles.h"
#include "preload/cuda/cuda_library.h"

namespace memtrace::preload::cuda {

namespace {

// What ask_about_devices() learned.
constexpr Device devices_max = 16;
DeviceAnswer devices[devices_max];
std::atomic<Device> devices_known{0};
std::atomic<uint64_t> version_known{0};

// While it lives, questions of this thread do not spoil a capture.
class HarmlessQuestion {
public:
    HarmlessQuestion() {
        is_set_ = questions.cuThreadExchangeStreamCaptureMode != nullptr &&
                  questions.cuThreadExchangeStreamCaptureMode(&mode_) == success;
    }
    ~HarmlessQuestion() {
        if (is_set_) questions.cuThreadExchangeStreamCaptureMode(&mode_);
    }
    HarmlessQuestion(const HarmlessQuestion&) = delete;
    HarmlessQuestion& operator=(const HarmlessQuestion&) = delete;

private:
    int  mode_ = capture_mode_relaxed;
    bool is_set_ = false;
};

template <class Function, class... Arguments>
bool ask(Function* question, Arguments... arguments) {
    if (question == nullptr || told() != nullptr) return false;
    const HarmlessQuestion guard;
    return question(arguments...) == success;
}

}  // namespace

void ask_about_devices() {
    if (told() != nullptr) return;
    version_known.store(driver_version(), std::memory_order_relaxed);
    int count = 0;
    if (!ask(questions.cuDeviceGetCount, &count)) return;
    if (count > devices_max) count = devices_max;
    for (Device device = 0; device < count; ++device) devices[device] = about_device(device);
    devices_known.store(count, std::memory_order_release);
}

uint64_t driver_version() {
    if (told() != nullptr) return version_known.load(std::memory_order_relaxed);
    int version = 0;
    return ask(questions.cuDriverGetVersion, &version) ? static_cast<uint64_t>(version) : 0;
}

DeviceAnswer about_device(Device device) {
    DeviceAnswer answer;
    if (told() != nullptr) {
        const bool is_known = device >= 0 && device < devices_known.load(std::memory_order_acquire);
        return is_known ? devices[device] : answer;
    }
    size_t memory = 0;
    if (ask(questions.cuDeviceTotalMem_v2, &memory, device)) answer.memory = memory;
    if (!ask(questions.cuDeviceGetPCIBusId, answer.pci, int{sizeof answer.pci}, device)) {
        answer.pci[0] = 0;
    }
    if (!ask(questions.cuDeviceGetName, answer.model, int{sizeof answer.model}, device)) {
        answer.model[0] = 0;
    }
    answer.pci[sizeof answer.pci - 1] = 0;
    answer.model[sizeof answer.model - 1] = 0;
    return answer;
}

uint64_t current_context() {
    if (told() != nullptr) return told()->context;
    Handle context = nullptr;
    if (questions.cuCtxGetCurrent == nullptr || questions.cuCtxGetCurrent(&context) != success) {
        return 0;
    }
    return reinterpret_cast<uint64_t>(context);
}

Device current_device() {
    if (told() != nullptr) return told()->device;
    Device device = no_device;
    if (questions.cuCtxGetDevice == nullptr || questions.cuCtxGetDevice(&device) != success) {
        return no_device;
    }
    return device;
}

Room room_of_current_device() {
    size_t free = 0;
    size_t memory = 0;
    if (!ask(questions.cuMemGetInfo_v2, &free, &memory)) return {};
    return {free, memory};
}

bool primary_context_is_active(Device device) {
    if (told() != nullptr) return primary_context_is_alive(device);
    unsigned flags = 0;
    int active = 0;
    return ask(questions.cuDevicePrimaryCtxGetState, device, &flags, &active) && active != 0;
}

namespace {

Origin origin_as_told(Handle pool) {
    Origin origin;
    origin.pool = reinterpret_cast<uint64_t>(pool);
    if (origin.pool == 0) {
        origin.device = current_device();
        origin.pool = current_pool_of(origin.device);
        return origin;
    }
    origin.device = pools.device_of(origin.pool);
    origin.is_on_host = origin.device == on_host;
    return origin;
}

}  // namespace

Origin origin_of(DevicePointer address, Handle asked_pool) {
    if (told() != nullptr) return origin_as_told(asked_pool);
    Origin origin;
    int device = no_device;
    Handle pool = nullptr;
    unsigned type = 0;
    void* const value = &device;
    if (ask(questions.cuPointerGetAttribute, value, pointer_device, address)) {
        origin.device = device;
    }
    void* const pool_value = &pool;
    if (ask(questions.cuPointerGetAttribute, pool_value, pointer_pool, address)) {
        origin.pool = reinterpret_cast<uint64_t>(pool);
    }
    void* const type_value = &type;
    if (ask(questions.cuPointerGetAttribute, type_value, pointer_memory_type, address)) {
        origin.is_on_host = type == memory_type_host;
    }
    return origin;
}

uint64_t size_at(DevicePointer address) {
    DevicePointer begin = 0;
    size_t size = 0;
    return ask(questions.cuMemGetAddressRange_v2, &begin, &size, address) ? size : 0;
}

bool holding_of_pool(Handle pool, Holding& holding) {
    void* const reserved = &holding.reserved;
    void* const used = &holding.used;
    return ask(questions.cuMemPoolGetAttribute, pool, pool_reserved, reserved) &&
           ask(questions.cuMemPoolGetAttribute, pool, pool_used, used);
}

bool holding_of_graphs(Device device, Holding& holding) {
    void* const reserved = &holding.reserved;
    void* const used = &holding.used;
    return ask(questions.cuDeviceGetGraphMemAttribute, device, graph_reserved, reserved) &&
           ask(questions.cuDeviceGetGraphMemAttribute, device, graph_used, used);
}

bool is_captured(Handle stream, bool is_per_thread) {
    auto* const question = is_per_thread && questions.cuStreamIsCapturing_ptsz != nullptr
                               ? questions.cuStreamIsCapturing_ptsz
                               : questions.cuStreamIsCapturing;
    int status = capture_none;
    if (told() != nullptr) return false;
    return question != nullptr && question(stream, &status) == success && status != capture_none;
}

Location location_of(PhysicalHandle handle) {
    AllocationProperties properties{};
    if (!ask(questions.cuMemGetAllocationPropertiesFromHandle, &properties, handle)) {
        return {location_device, no_device};
    }
    return properties.location;
}

}  // namespace memtrace::preload::cuda
