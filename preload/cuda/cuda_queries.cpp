// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_queries.h"

#include <atomic>

#include "preload/cuda/cuda_handles.h"
#include "preload/cuda/cuda_library.h"

namespace memtrace::preload::cuda {

namespace {

// Results of ask_about_devices().
constexpr Device devices_max = 16;
DeviceAnswer devices[devices_max];
std::atomic<Device> devices_known{0};
std::atomic<uint64_t> version_known{0};

// During its lifetime, queries of this thread do not invalidate a stream capture.
class HarmlessQuery {
public:
    HarmlessQuery() {
        is_set_ = queries.cuThreadExchangeStreamCaptureMode != nullptr &&
                  queries.cuThreadExchangeStreamCaptureMode(&mode_) == success;
    }
    ~HarmlessQuery() {
        if (is_set_) queries.cuThreadExchangeStreamCaptureMode(&mode_);
    }
    HarmlessQuery(const HarmlessQuery&) = delete;
    HarmlessQuery& operator=(const HarmlessQuery&) = delete;

private:
    int mode_ = capture_mode_relaxed;
    bool is_set_ = false;
};

template <class Function, class... Arguments>
bool ask(Function* query, Arguments... arguments) {
    if (query == nullptr || callback_context() != nullptr) return false;
    const HarmlessQuery guard;
    return query(arguments...) == success;
}

}  // namespace

void ask_about_devices() {
    if (callback_context() != nullptr) return;
    version_known.store(driver_version(), std::memory_order_relaxed);
    int count = 0;
    if (!ask(queries.cuDeviceGetCount, &count)) return;
    if (count > devices_max) count = devices_max;
    for (Device device = 0; device < count; ++device) devices[device] = about_device(device);
    devices_known.store(count, std::memory_order_release);
}

uint64_t driver_version() {
    if (callback_context() != nullptr) return version_known.load(std::memory_order_relaxed);
    int version = 0;
    return ask(queries.cuDriverGetVersion, &version) ? static_cast<uint64_t>(version) : 0;
}

DeviceAnswer about_device(Device device) {
    DeviceAnswer answer;
    if (callback_context() != nullptr) {
        const bool is_known = device >= 0 && device < devices_known.load(std::memory_order_acquire);
        return is_known ? devices[device] : answer;
    }
    size_t memory = 0;
    if (ask(queries.cuDeviceTotalMem_v2, &memory, device)) answer.memory = memory;
    if (!ask(queries.cuDeviceGetPCIBusId, answer.pci, int{sizeof answer.pci}, device)) {
        answer.pci[0] = 0;
    }
    if (!ask(queries.cuDeviceGetName, answer.model, int{sizeof answer.model}, device)) {
        answer.model[0] = 0;
    }
    answer.pci[sizeof answer.pci - 1] = 0;
    answer.model[sizeof answer.model - 1] = 0;
    return answer;
}

uint64_t current_context() {
    if (callback_context() != nullptr) return callback_context()->context;
    Handle context = nullptr;
    if (queries.cuCtxGetCurrent == nullptr || queries.cuCtxGetCurrent(&context) != success) {
        return 0;
    }
    return reinterpret_cast<uint64_t>(context);
}

Device current_device() {
    if (callback_context() != nullptr) return callback_context()->device;
    Device device = no_device;
    if (queries.cuCtxGetDevice == nullptr || queries.cuCtxGetDevice(&device) != success) {
        return no_device;
    }
    return device;
}

Room room_of_current_device() {
    size_t free = 0;
    size_t memory = 0;
    if (!ask(queries.cuMemGetInfo_v2, &free, &memory)) return {};
    return {free, memory};
}

bool primary_context_is_active(Device device) {
    if (callback_context() != nullptr) return primary_context_is_alive(device);
    unsigned flags = 0;
    int active = 0;
    return ask(queries.cuDevicePrimaryCtxGetState, device, &flags, &active) && active != 0;
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
    if (callback_context() != nullptr) return origin_as_told(asked_pool);
    Origin origin;
    int device = no_device;
    Handle pool = nullptr;
    unsigned type = 0;
    void* const value = &device;
    if (ask(queries.cuPointerGetAttribute, value, pointer_device, address)) {
        origin.device = device;
    }
    void* const pool_value = &pool;
    if (ask(queries.cuPointerGetAttribute, pool_value, pointer_pool, address)) {
        origin.pool = reinterpret_cast<uint64_t>(pool);
    }
    void* const type_value = &type;
    if (ask(queries.cuPointerGetAttribute, type_value, pointer_memory_type, address)) {
        origin.is_on_host = type == memory_type_host;
    }
    return origin;
}

uint64_t size_at(DevicePointer address) {
    DevicePointer begin = 0;
    size_t size = 0;
    return ask(queries.cuMemGetAddressRange_v2, &begin, &size, address) ? size : 0;
}

bool holding_of_pool(Handle pool, Holding& holding) {
    void* const reserved = &holding.reserved;
    void* const used = &holding.used;
    return ask(queries.cuMemPoolGetAttribute, pool, pool_reserved, reserved) &&
           ask(queries.cuMemPoolGetAttribute, pool, pool_used, used);
}

bool holding_of_graphs(Device device, Holding& holding) {
    void* const reserved = &holding.reserved;
    void* const used = &holding.used;
    return ask(queries.cuDeviceGetGraphMemAttribute, device, graph_reserved, reserved) &&
           ask(queries.cuDeviceGetGraphMemAttribute, device, graph_used, used);
}

bool is_captured(Handle stream, bool is_per_thread) {
    auto* const query = is_per_thread && queries.cuStreamIsCapturing_ptsz != nullptr
                            ? queries.cuStreamIsCapturing_ptsz
                            : queries.cuStreamIsCapturing;
    int status = capture_none;
    if (callback_context() != nullptr) return false;
    return query != nullptr && query(stream, &status) == success && status != capture_none;
}

Location location_of(PhysicalHandle handle) {
    AllocationProperties properties{};
    if (!ask(queries.cuMemGetAllocationPropertiesFromHandle, &properties, handle)) {
        return {location_device, no_device};
    }
    return properties.location;
}

}  // namespace memtrace::preload::cuda
