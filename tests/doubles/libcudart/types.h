// SPDX-License-Identifier: Apache-2.0
//
// Types of CUDA's runtime and driver, as far as the double needs them. What is passed on is a
// pointer or a number, so the tests build without a header of CUDA's.
#pragma once

#include <cstddef>
#include <cstdint>

using CUresult = int;
using CUdeviceptr = unsigned long long;
using CUdevice = int;
using CUcontext = void*;
using cudaError_t = int;
using cudaStream_t = void*;
using cudaEvent_t = void*;
using cudaMemPool_t = void*;

// Runtime and driver agree on these numbers, as on most.
inline constexpr cudaError_t cudaSuccess = 0;
inline constexpr cudaError_t cudaErrorInvalidValue = 1;
inline constexpr cudaError_t cudaErrorMemoryAllocation = 2;
inline constexpr cudaError_t cudaErrorInsufficientDriver = 35;
inline constexpr cudaError_t cudaErrorInvalidDevice = 101;
inline constexpr cudaError_t cudaErrorInvalidResourceHandle = 400;
inline constexpr cudaError_t cudaErrorSymbolNotFound = 500;
inline constexpr cudaError_t cudaErrorNotReady = 600;
inline constexpr cudaError_t cudaErrorPeerAccessAlreadyEnabled = 704;
inline constexpr cudaError_t cudaErrorNotSupported = 801;

struct cudaIpcMemHandle_t {
    char reserved[64];
};
struct cudaPitchedPtr {
    void* ptr;
    size_t pitch;
    size_t xsize;
    size_t ysize;
};
struct cudaExtent {
    size_t width;
    size_t height;
    size_t depth;
};
struct cudaChannelFormatDesc {
    int bits[4];
    int kind;
};

namespace cudart_double {

using ProcAddress = CUresult(const char* name, void** function, int version, uint64_t flags,
                             int* status);

// CUDA_ARRAY3D_DESCRIPTOR
struct ArrayShape {
    size_t width;
    size_t height;
    size_t depth;
    int format;
    unsigned channels;
    unsigned flags;
};

// Sets the next result of cudaGetLastError(). Returns `error`.
cudaError_t note_error(cudaError_t error);

}  // namespace cudart_double

// The names of the shared library; in the archive they are hidden.
#define CUDART_DOUBLE extern "C" __attribute__((visibility(CUDART_DOUBLE_VISIBILITY)))
