// SPDX-License-Identifier: Apache-2.0
//
// Devices, versions, descriptions of errors, and the way to the driver's functions for programs
// that do not link to it.
#include <cstring>

#include "tests/doubles/libcudart/driver.h"

using namespace cudart_double;

namespace {

int count_devices() {
    cudaError_t failure = cudaSuccess;
    const Driver* const driver = driver_without_device(failure);
    int count = 0;
    return driver == nullptr || driver->cuDeviceGetCount(&count) != 0 ? 0 : count;
}

cudaError_t find_entry_point(const char* name, void** function, unsigned version, uint64_t flags,
                             int* status) {
    cudaError_t failure = cudaSuccess;
    const Driver* const driver = driver_without_device(failure);
    if (driver == nullptr) return failure;
    int ignored = 0;
    return driver->get_proc_address(name, function, static_cast<int>(version), flags,
                                    status == nullptr ? &ignored : status);
}

}  // namespace

CUDART_DOUBLE cudaError_t cudaGetDeviceCount(int* count) {
    cudaError_t failure = cudaSuccess;
    const Driver* const driver = driver_without_device(failure);
    return note_error(driver == nullptr ? failure : driver->cuDeviceGetCount(count));
}

CUDART_DOUBLE cudaError_t cudaGetDevice(int* device) {
    *device = current_device();
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= count_devices()) return note_error(cudaErrorInvalidDevice);
    set_current_device(device);
    return with_driver([](const Driver&) { return cudaSuccess; });
}

// The fields that allocators request; their position is the same in CUDA 12 and 13.
CUDART_DOUBLE cudaError_t cudaGetDeviceProperties(void* properties, int device) {
    constexpr size_t at_total_memory = 288, at_major = 360, at_minor = 364;
    cudaError_t failure = cudaSuccess;
    const Driver* const driver = driver_without_device(failure);
    if (driver == nullptr) return note_error(failure);
    auto* const bytes = static_cast<char*>(properties);
    size_t memory = 0;
    if (const CUresult result = driver->cuDeviceTotalMem(&memory, device)) return result;
    std::memset(bytes, 0, 1000);
    driver->cuDeviceGetName(bytes, 256, device);
    std::memcpy(bytes + at_total_memory, &memory, sizeof memory);
    const int major = 9, minor = 0;
    std::memcpy(bytes + at_major, &major, sizeof major);
    std::memcpy(bytes + at_minor, &minor, sizeof minor);
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaGetDeviceProperties_v2(void* properties, int device) {
    return cudaGetDeviceProperties(properties, device);
}

CUDART_DOUBLE cudaError_t cudaDeviceSynchronize() {
    return with_driver([](const Driver&) { return cudaSuccess; });
}

CUDART_DOUBLE cudaError_t cudaDriverGetVersion(int* version) {
    cudaError_t failure = cudaSuccess;
    const Driver* const driver = driver_without_device(failure);
    return driver == nullptr ? failure : driver->cuDriverGetVersion(version);
}

CUDART_DOUBLE cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_DOUBLE_VERSION;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = device != peer;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }

CUDART_DOUBLE const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess: return "cudaSuccess";
        case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
        case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
        default: return "cudaErrorOfTheDouble";
    }
}

CUDART_DOUBLE const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess: return "no error";
        case cudaErrorMemoryAllocation: return "out of memory";
        case cudaErrorInsufficientDriver: return "there is no driver";
        default: return "an error of the runtime's double";
    }
}

CUDART_DOUBLE cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                           unsigned version, uint64_t flags,
                                                           int* status) {
    return find_entry_point(name, function, version, flags, status);
}

CUDART_DOUBLE cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, uint64_t flags,
                                                  int* status) {
    return find_entry_point(name, function, CUDART_DOUBLE_VERSION, flags, status);
}
