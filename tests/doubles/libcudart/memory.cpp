// SPDX-License-Identifier: Apache-2.0
//
// Memory: each function of the runtime requests the same from the driver.
#include "tests/doubles/libcudart/driver.h"

using namespace cudart_double;

namespace {

CUdeviceptr number_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

// Passes the driver's answer to a caller that requested a pointer.
template <class Call>
cudaError_t acquire(void** result, Call&& call) {
    CUdeviceptr address = 0;
    const cudaError_t error =
        with_driver([&](const Driver& driver) { return call(driver, &address); });
    if (error == cudaSuccess) *result = reinterpret_cast<void*>(address);
    return error;
}

}  // namespace

CUDART_DOUBLE cudaError_t cudaMalloc(void** result, size_t size) {
    return acquire(result, [&](const Driver& driver, CUdeviceptr* address) {
        return driver.cuMemAlloc(address, size);
    });
}

CUDART_DOUBLE cudaError_t cudaMallocPitch(void** result, size_t* pitch, size_t width,
                                          size_t height) {
    return acquire(result, [&](const Driver& driver, CUdeviceptr* address) {
        return driver.cuMemAllocPitch(address, pitch, width, height, 4);
    });
}

CUDART_DOUBLE cudaError_t cudaMallocManaged(void** result, size_t size, unsigned flags) {
    return acquire(result, [&](const Driver& driver, CUdeviceptr* address) {
        return driver.cuMemAllocManaged(address, size, flags);
    });
}

CUDART_DOUBLE cudaError_t cudaFree(void* address) {
    return with_driver([&](const Driver& driver) {
        return address == nullptr ? cudaSuccess : driver.cuMemFree(number_of(address));
    });
}

CUDART_DOUBLE cudaError_t cudaHostAlloc(void** result, size_t size, unsigned flags) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuMemHostAlloc(result, size, flags); });
}

CUDART_DOUBLE cudaError_t cudaMallocHost(void** result, size_t size) {
    return cudaHostAlloc(result, size, 0);
}

CUDART_DOUBLE cudaError_t cudaFreeHost(void* address) {
    return with_driver([&](const Driver& driver) {
        return address == nullptr ? cudaSuccess : driver.cuMemFreeHost(address);
    });
}

CUDART_DOUBLE cudaError_t cudaHostRegister(void* address, size_t size, unsigned flags) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuMemHostRegister(address, size, flags); });
}

CUDART_DOUBLE cudaError_t cudaHostUnregister(void* address) {
    return with_driver([&](const Driver& driver) { return driver.cuMemHostUnregister(address); });
}

CUDART_DOUBLE cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return with_driver([&](const Driver& driver) { return driver.cuMemGetInfo(free, total); });
}

// ---- pools --------------------------------------------------------------------------------------

CUDART_DOUBLE cudaError_t cudaMallocAsync(void** result, size_t size, cudaStream_t stream) {
    return acquire(result, [&](const Driver& driver, CUdeviceptr* address) {
        return driver.cuMemAllocAsync(address, size, stream);
    });
}

CUDART_DOUBLE cudaError_t cudaMallocFromPoolAsync(void** result, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
    return acquire(result, [&](const Driver& driver, CUdeviceptr* address) {
        return driver.cuMemAllocFromPoolAsync(address, size, pool, stream);
    });
}

CUDART_DOUBLE cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuMemFreeAsync(number_of(address), stream); });
}

CUDART_DOUBLE cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuDeviceGetDefaultMemPool(pool, device); });
}

CUDART_DOUBLE cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int which, void* value) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuMemPoolGetAttribute(pool, which, value); });
}

CUDART_DOUBLE cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int which, void* value) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuMemPoolSetAttribute(pool, which, value); });
}

CUDART_DOUBLE cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const void*, size_t) {
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t to_keep) {
    return with_driver([&](const Driver& driver) { return driver.cuMemPoolTrimTo(pool, to_keep); });
}

CUDART_DOUBLE cudaError_t cudaDeviceGetGraphMemAttribute(int device, int which, void* value) {
    return with_driver([&](const Driver& driver) {
        return driver.cuDeviceGetGraphMemAttribute(device, which, value);
    });
}

CUDART_DOUBLE cudaError_t cudaDeviceSetGraphMemAttribute(int device, int which, void* value) {
    return with_driver([&](const Driver& driver) {
        return driver.cuDeviceSetGraphMemAttribute(device, which, value);
    });
}

// ---- other processes ----------------------------------------------------------------------------

CUDART_DOUBLE cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuIpcGetMemHandle(handle, number_of(address)); });
}

CUDART_DOUBLE cudaError_t cudaIpcOpenMemHandle(void** result, cudaIpcMemHandle_t handle,
                                               unsigned flags) {
    return acquire(result, [&](const Driver& driver, CUdeviceptr* address) {
        return driver.cuIpcOpenMemHandle(address, handle, flags);
    });
}

CUDART_DOUBLE cudaError_t cudaIpcCloseMemHandle(void* address) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuIpcCloseMemHandle(number_of(address)); });
}

// ---- contents of memory: there is none behind the addresses -------------------------------------

CUDART_DOUBLE cudaError_t cudaMemcpy(void*, const void*, size_t, int) { return cudaSuccess; }

CUDART_DOUBLE cudaError_t cudaMemcpyAsync(void*, const void*, size_t, int, cudaStream_t) {
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t) {
    return cudaSuccess;
}
