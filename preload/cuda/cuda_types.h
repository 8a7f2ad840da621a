// SPDX-License-Identifier: Apache-2.0
//
// The part of CUDA's driver interface that the hooks need, declared here. So the shim is built
// without CUDA's headers and always supports GPUs. Handles of the driver are opaque pointers. If
// the real headers are installed, tests/cuda_headers compares each function and each structure with
// them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload::cuda {

using Result = int;
using Device = int;
using DevicePointer = unsigned long long;
using PhysicalHandle = unsigned long long;
using Handle = struct Opaque*;  // of a context, stream, pool, module, array, graph …

inline constexpr Device no_device = -1;

inline constexpr Result success = 0;
inline constexpr Result out_of_memory = 2;
inline constexpr Result stub_library = 34;  // the library is a stub without a driver

struct Location {
    int type;
    int id;
};
inline constexpr int location_device = 1;  // others: none, or the host in three ways

struct AllocationProperties {
    int type;
    int handle_types;
    Location location;
    void* windows;
    uint8_t flags[8];
};

struct PoolProperties {
    int type;
    int handle_types;
    Location location;
    void* windows;
    size_t size_max;
    uint8_t rest[56];
};

struct MulticastProperties {
    unsigned devices;
    size_t size;
    unsigned long long handle_types;
    unsigned long long flags;
};

struct ArrayShape {
    size_t width;
    size_t height;
    int format;
    unsigned channels;
};

struct Array3DShape {
    size_t width;
    size_t height;
    size_t depth;
    int format;
    unsigned channels;
    unsigned flags;
};
inline constexpr unsigned array_is_layered = 0x01;
inline constexpr unsigned array_is_sparse = 0x40;    // no memory until some is mapped
inline constexpr unsigned array_is_deferred = 0x80;  // likewise

struct IpcHandle {
    char bytes[64];
};

struct ExternalMemory {
    int type;
    void* handle[2];
    unsigned long long size;
    unsigned flags;
    unsigned rest[16];
};

struct ExternalBuffer {
    unsigned long long offset;
    unsigned long long size;
    unsigned flags;
    unsigned rest[16];
};

struct AllocationNode {
    PoolProperties properties;
    const void* access;
    size_t access_count;
    size_t size;
    DevicePointer address;  // filled in by the driver
};

struct GraphNode {
    int type;
    int rest[3];
    union {
        long long bytes[29];
        AllocationNode allocation;
        DevicePointer freed;
    };
    long long last;
};
inline constexpr int graph_node_allocates = 10;
inline constexpr int graph_node_frees = 11;

// Attributes that the shim queries.
inline constexpr int pool_reserved = 5;
inline constexpr int pool_used = 7;
inline constexpr int graph_used = 0;
inline constexpr int graph_reserved = 2;
inline constexpr int pointer_memory_type = 2;
inline constexpr int pointer_device = 9;
inline constexpr int pointer_pool = 17;
inline constexpr unsigned memory_type_host = 1;

inline constexpr int capture_none = 0;
inline constexpr int capture_mode_relaxed = 2;

inline constexpr unsigned long long per_thread_stream = 2;  // a flag of cuGetProcAddress

}  // namespace memtrace::preload::cuda
