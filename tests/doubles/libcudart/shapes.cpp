// SPDX-License-Identifier: Apache-2.0
//
// Memory that has a shape, pools of the program's own, and the default stream of a thread.
#include "tests/doubles/libcudart/driver.h"

using namespace cudart_double;

CUDART_DOUBLE cudaError_t cudaMalloc3D(cudaPitchedPtr* block, cudaExtent extent) {
    return with_driver([&](const Driver& driver) {
        CUdeviceptr address = 0;
        const CUresult result = driver.cuMemAllocPitch(&address, &block->pitch, extent.width,
                                                       extent.height * extent.depth, 4);
        if (result != 0) return result;
        block->ptr = reinterpret_cast<void*>(address);
        block->xsize = extent.width;
        block->ysize = extent.height;
        return cudaSuccess;
    });
}

CUDART_DOUBLE cudaError_t cudaMalloc3DArray(void** array, const cudaChannelFormatDesc* channels,
                                            cudaExtent extent, unsigned flags) {
    ArrayShape shape{extent.width, extent.height, extent.depth, 0x01, 0, flags};
    if (channels->bits[0] == 16) shape.format = 0x02;
    if (channels->bits[0] == 32) shape.format = channels->kind == 2 ? 0x20 : 0x03;
    for (const int bits : channels->bits) shape.channels += bits != 0;
    return with_driver([&](const Driver& driver) { return driver.cuArray3DCreate(array, &shape); });
}

CUDART_DOUBLE cudaError_t cudaMallocArray(void** array, const cudaChannelFormatDesc* channels,
                                          size_t width, size_t height, unsigned flags) {
    return cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}

CUDART_DOUBLE cudaError_t cudaFreeArray(void* array) {
    return with_driver([&](const Driver& driver) {
        return array == nullptr ? cudaSuccess : driver.cuArrayDestroy(array);
    });
}

CUDART_DOUBLE cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const void* properties) {
    return with_driver(
        [&](const Driver& driver) { return driver.cuMemPoolCreate(pool, properties); });
}

CUDART_DOUBLE cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return with_driver([&](const Driver& driver) { return driver.cuMemPoolDestroy(pool); });
}

// ---- programs with a default stream for each thread ---------------------------------------------
CUDART_DOUBLE cudaError_t cudaMallocAsync(void**, size_t, cudaStream_t);
CUDART_DOUBLE cudaError_t cudaMallocFromPoolAsync(void**, size_t, cudaMemPool_t, cudaStream_t);
CUDART_DOUBLE cudaError_t cudaFreeAsync(void*, cudaStream_t);

CUDART_DOUBLE cudaError_t cudaMallocAsync_ptsz(void** result, size_t size, cudaStream_t stream) {
    return cudaMallocAsync(result, size, stream);
}

CUDART_DOUBLE cudaError_t cudaMallocFromPoolAsync_ptsz(void** result, size_t size,
                                                       cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(result, size, pool, stream);
}

CUDART_DOUBLE cudaError_t cudaFreeAsync_ptsz(void* address, cudaStream_t stream) {
    return cudaFreeAsync(address, stream);
}
