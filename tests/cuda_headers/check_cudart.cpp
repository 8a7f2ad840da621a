// SPDX-License-Identifier: Apache-2.0
//
// The headers of CUDA's runtime library against what the shim says of it in its own words, as
// check.cpp does for the driver.
#include <cuda_runtime_api.h>

#include "preload/cuda/cudart_types.h"
#include "tests/cuda_headers/check.h"

// With another default stream there is another name, which the headers declare as a macro says.
extern "C" {
cudaError_t cudaMallocAsync_ptsz(void**, size_t, cudaStream_t);
cudaError_t cudaMallocFromPoolAsync_ptsz(void**, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaFreeAsync_ptsz(void*, cudaStream_t);
}

namespace memtrace::preload::cuda {

const int runtime_functions =
#define MEMTRACE_CUDART_ENTRY(spelling, api, like, stream, parameters, arguments, asked) +1
#include "preload/cuda/cudart_entries.def"
    ;

#define MEMTRACE_CUDART_ENTRY(spelling, api, like, stream, parameters, arguments, asked) \
    CHECK_FUNCTION(spelling, parameters);
#include "preload/cuda/cudart_entries.def"

CHECK_SIZE(Pitched, cudaPitchedPtr);
CHECK_FIELD(Pitched, address, cudaPitchedPtr, ptr);
CHECK_FIELD(Pitched, pitch, cudaPitchedPtr, pitch);
CHECK_SIZE(Extent, cudaExtent);
CHECK_FIELD(Extent, height, cudaExtent, height);
CHECK_FIELD(Extent, depth, cudaExtent, depth);
CHECK_SIZE(ChannelBits, cudaChannelFormatDesc);
CHECK_FIELD(ChannelBits, kind, cudaChannelFormatDesc, f);
CHECK_SIZE(PoolProperties, cudaMemPoolProps);
CHECK_FIELD(PoolProperties, location, cudaMemPoolProps, location);
CHECK_SIZE(IpcHandle, cudaIpcMemHandle_t);

static_assert(success == cudaSuccess && out_of_memory == cudaErrorMemoryAllocation);
static_assert(stub_library == cudaErrorStubLibrary);
static_assert(array_is_layered == cudaArrayLayered && array_is_sparse == cudaArraySparse);
static_assert(array_is_deferred == cudaArrayDeferredMapping);

}  // namespace memtrace::preload::cuda
