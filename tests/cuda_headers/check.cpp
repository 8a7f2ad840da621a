// SPDX-License-Identifier: Apache-2.0
//
// CUDA's own headers against what the shim says of the driver in its own words: every function of
// cuda_entries.def, the version from which on its name means it, and every structure, field by
// field. What does not agree does not compile.
#define __CUDA_API_VERSION_INTERNAL  // Old versions are declared too.
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdio>

#include "preload/cuda/cuda_entry_names.h"
#include "preload/cuda/cuda_types.h"
#include "tests/cuda_headers/check.h"

namespace memtrace::preload::cuda {
namespace {

constexpr int any = 0, legacy = 0, thread = 1;
constexpr int functions =
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) +1
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) +1
#define MEMTRACE_CUDA_QUERY(name, parameters) +1
#include "preload/cuda/cuda_entries.def"
    ;

#define CHECK_VERSION(asked, since, parameters) \
    static_assert(is_called_like<Result(*) parameters, PFN_##asked##_v##since>, #asked)
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) \
    CHECK_FUNCTION(spelling, parameters);                      \
    CHECK_VERSION(asked, since, parameters);
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    CHECK_FUNCTION(spelling, parameters);                                        \
    CHECK_VERSION(api, since, parameters);
#define MEMTRACE_CUDA_QUERY(name, parameters) CHECK_FUNCTION(name, parameters);
#include "preload/cuda/cuda_entries.def"
static_assert(any == legacy && legacy != thread);

CHECK_SIZE(Location, CUmemLocation);
CHECK_FIELD(Location, type, CUmemLocation, type);
CHECK_FIELD(Location, id, CUmemLocation, id);
CHECK_SIZE(AllocationProperties, CUmemAllocationProp);
CHECK_FIELD(AllocationProperties, location, CUmemAllocationProp, location);
CHECK_SIZE(PoolProperties, CUmemPoolProps);
CHECK_FIELD(PoolProperties, location, CUmemPoolProps, location);
CHECK_SIZE(MulticastProperties, CUmulticastObjectProp);
CHECK_FIELD(MulticastProperties, size, CUmulticastObjectProp, size);
CHECK_SIZE(ArrayShape, CUDA_ARRAY_DESCRIPTOR_v2);
CHECK_FIELD(ArrayShape, width, CUDA_ARRAY_DESCRIPTOR_v2, Width);
CHECK_FIELD(ArrayShape, height, CUDA_ARRAY_DESCRIPTOR_v2, Height);
CHECK_FIELD(ArrayShape, format, CUDA_ARRAY_DESCRIPTOR_v2, Format);
CHECK_FIELD(ArrayShape, channels, CUDA_ARRAY_DESCRIPTOR_v2, NumChannels);
CHECK_SIZE(Array3DShape, CUDA_ARRAY3D_DESCRIPTOR_v2);
CHECK_FIELD(Array3DShape, width, CUDA_ARRAY3D_DESCRIPTOR_v2, Width);
CHECK_FIELD(Array3DShape, height, CUDA_ARRAY3D_DESCRIPTOR_v2, Height);
CHECK_FIELD(Array3DShape, depth, CUDA_ARRAY3D_DESCRIPTOR_v2, Depth);
CHECK_FIELD(Array3DShape, format, CUDA_ARRAY3D_DESCRIPTOR_v2, Format);
CHECK_FIELD(Array3DShape, channels, CUDA_ARRAY3D_DESCRIPTOR_v2, NumChannels);
CHECK_FIELD(Array3DShape, flags, CUDA_ARRAY3D_DESCRIPTOR_v2, Flags);
CHECK_SIZE(IpcHandle, CUipcMemHandle);
CHECK_SIZE(ExternalMemory, CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
CHECK_FIELD(ExternalMemory, size, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size);
CHECK_SIZE(ExternalBuffer, CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
CHECK_FIELD(ExternalBuffer, size, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size);
CHECK_SIZE(AllocationNode, CUDA_MEM_ALLOC_NODE_PARAMS);
CHECK_SIZE(AllocationNode, CUDA_MEM_ALLOC_NODE_PARAMS_v2);
CHECK_FIELD(AllocationNode, properties, CUDA_MEM_ALLOC_NODE_PARAMS, poolProps);
CHECK_FIELD(AllocationNode, size, CUDA_MEM_ALLOC_NODE_PARAMS, bytesize);
CHECK_FIELD(AllocationNode, address, CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
CHECK_SIZE(GraphNode, CUgraphNodeParams);
CHECK_FIELD(GraphNode, type, CUgraphNodeParams, type);
CHECK_FIELD(GraphNode, allocation, CUgraphNodeParams, alloc);
CHECK_FIELD(GraphNode, freed, CUgraphNodeParams, free.dptr);

static_assert(success == CUDA_SUCCESS && out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(stub_library == CUDA_ERROR_STUB_LIBRARY);
static_assert(location_device == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(array_is_layered == CUDA_ARRAY3D_LAYERED && array_is_sparse == CUDA_ARRAY3D_SPARSE);
static_assert(array_is_deferred == CUDA_ARRAY3D_DEFERRED_MAPPING);
static_assert(graph_node_allocates == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
static_assert(graph_node_frees == CU_GRAPH_NODE_TYPE_MEM_FREE);
static_assert(pool_reserved == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
static_assert(pool_used == CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
static_assert(graph_used == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
static_assert(graph_reserved == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
static_assert(pointer_memory_type == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(pointer_device == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(pointer_pool == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
static_assert(memory_type_host == CU_MEMORYTYPE_HOST);
static_assert(capture_none == CU_STREAM_CAPTURE_STATUS_NONE);
static_assert(capture_mode_relaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(per_thread_stream == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
static_assert(newest_known_version <= CUDA_VERSION, "these headers are older than the table");

}  // namespace
}  // namespace memtrace::preload::cuda

int main() {
    using namespace memtrace::preload::cuda;
    std::printf("%d functions are declared as in the headers of CUDA %d.%d\n", functions,
                CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    std::printf("%d functions of the runtime library, too\n", runtime_functions);
    return functions > 0 && runtime_functions > 0 ? 0 : 1;
}
