// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's pools, streams and graphs. A pool takes 32 MiB at a time and keeps what comes back
// until it is trimmed; graphs take their memory when they are launched.
#include <algorithm>
#include <cstring>

#include "preload/cuda/cupti_types.h"
#include "tests/doubles/libcuda/state.h"

using namespace cuda_double;

namespace {

constexpr uint64_t chunk = uint64_t{32} << 20;

uint64_t whole_chunks(uint64_t size) { return (size + chunk - 1) / chunk * chunk; }

bool grow(Pool& pool, uint64_t wanted) {
    if (wanted <= pool.reserved) return true;
    const uint64_t more = whole_chunks(wanted) - pool.reserved;
    if (!pool.is_on_host && !take(pool.device, more)) return false;
    pool.reserved += more;
    pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
    return true;
}

void shrink(Pool& pool, uint64_t wanted) {
    const uint64_t kept = whole_chunks(wanted > pool.used ? wanted : pool.used);
    if (kept >= pool.reserved) return;
    if (!pool.is_on_host) give(pool.device, pool.reserved - kept);
    pool.reserved = kept;
}

Result acquire_captured(const char* api, DevicePointer* address, size_t size, Device device) {
    *address = new_address(size);
    memtrace::preload::cupti::GraphData node{};
    node.node_type = graph_node_allocates;
    raise_resource(memtrace::preload::cupti::graph_node_created, 0, &node);
    write_log("gpu_acquire api=%s memory=graph size=%zu address=%#llx device=%d context=0 pool=0",
              api, size, *address, device);
    return success;
}

Result acquire_from(const char* api, DevicePointer* address, size_t size, uint64_t number,
                    Handle stream) {
    const auto found = state().pools.find(number);
    if (found == state().pools.end() || size == 0) return invalid_value;
    Pool& pool = found->second;
    if (state().captures.count(number_of(stream)) != 0) {
        return acquire_captured(api, address, size, pool.device);
    }
    if (!grow(pool, pool.used + size)) return out_of_memory;
    pool.used += size;
    pool.used_high = std::max(pool.used_high, pool.used);
    *address = new_address(size);
    Block block{pool.is_on_host ? "pinned" : "pooled", size, pool.device};
    block.pool = number;
    add_block(api, *address, block);
    return success;
}

Result acquire_async(DevicePointer* address, size_t size, Handle stream) {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    const uint64_t pool = state().devices[context->device].current_pool;
    return acquire_from("cuMemAllocAsync", address, size, pool, stream);
}

Result release_async(DevicePointer address, Handle stream) {
    if (state().captures.count(number_of(stream)) != 0) {
        write_log("gpu_release api=cuMemFreeAsync address=%#llx", address);
        return success;
    }
    const auto found = state().blocks.find(address);
    if (found == state().blocks.end()) return invalid_value;
    const auto pool = state().pools.find(found->second.pool);
    if (pool != state().pools.end() && std::strcmp(found->second.memory, "imported") != 0) {
        pool->second.used -= found->second.size;
    }
    remove_block("cuMemFreeAsync", address);
    return success;
}

Result launch(Handle graph) {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    DeviceState& device = state().devices[context->device];
    uint64_t wanted = 0;
    for (const auto& [address, size] : state().graphs[number_of(graph)].memory) wanted += size;
    if (wanted > device.graph_reserved) {
        if (!take(context->device, wanted - device.graph_reserved)) return out_of_memory;
        device.graph_reserved = wanted;
    }
    device.graph_used = wanted;
    return success;
}

Result add_allocation(Handle* node, Handle graph, AllocationNode* allocation) {
    *node = handle_of(new_handle());
    allocation->address = new_address(allocation->size);
    state().graphs[number_of(graph)].memory[allocation->address] = allocation->size;
    write_log(
        "gpu_acquire api=cuGraphAddMemAllocNode memory=graph size=%zu address=%#llx "
        "device=%d context=0 pool=%#llx",
        allocation->size, allocation->address, allocation->properties.location.id,
        static_cast<unsigned long long>(number_of(graph)));
    return success;
}

}  // namespace

DOUBLE_EXPORT Result cuMemAllocAsync(DevicePointer* address, size_t size, Handle stream) {
    DOUBLE_CALL(cuMemAllocAsync);
    return acquire_async(address, size, stream);
}

DOUBLE_EXPORT Result cuMemAllocAsync_ptsz(DevicePointer* address, size_t size, Handle stream) {
    DOUBLE_CALL(cuMemAllocAsync_ptsz);
    return acquire_async(address, size, stream);
}

DOUBLE_EXPORT Result cuMemAllocFromPoolAsync(DevicePointer* address, size_t size, Handle pool,
                                             Handle stream) {
    DOUBLE_CALL(cuMemAllocFromPoolAsync);
    return acquire_from("cuMemAllocFromPoolAsync", address, size, number_of(pool), stream);
}

DOUBLE_EXPORT Result cuMemAllocFromPoolAsync_ptsz(DevicePointer* address, size_t size, Handle pool,
                                                  Handle stream) {
    DOUBLE_CALL(cuMemAllocFromPoolAsync_ptsz);
    return acquire_from("cuMemAllocFromPoolAsync", address, size, number_of(pool), stream);
}

DOUBLE_EXPORT Result cuMemFreeAsync(DevicePointer address, Handle stream) {
    DOUBLE_CALL(cuMemFreeAsync);
    return release_async(address, stream);
}

DOUBLE_EXPORT Result cuMemFreeAsync_ptsz(DevicePointer address, Handle stream) {
    DOUBLE_CALL(cuMemFreeAsync_ptsz);
    return release_async(address, stream);
}

DOUBLE_EXPORT Result cuMemPoolCreate(Handle* pool, const PoolProperties* properties) {
    DOUBLE_CALL(cuMemPoolCreate);
    *pool = handle_of(new_handle());
    Pool made{properties->location.id};
    made.is_on_host = properties->location.type != location_device;
    state().pools[number_of(*pool)] = made;
    return success;
}

DOUBLE_EXPORT Result cuMemPoolDestroy(Handle pool) {
    DOUBLE_CALL(cuMemPoolDestroy);
    const auto found = state().pools.find(number_of(pool));
    if (found == state().pools.end()) return invalid_value;
    shrink(found->second, 0);
    if (found->second.reserved != 0) return invalid_value;  // The stand-in does not support that.
    state().pools.erase(found);
    return success;
}

DOUBLE_EXPORT Result cuMemPoolTrimTo(Handle pool, size_t keep) {
    DOUBLE_CALL(cuMemPoolTrimTo);
    const auto found = state().pools.find(number_of(pool));
    if (found == state().pools.end()) return invalid_value;
    shrink(found->second, keep);
    return success;
}

DOUBLE_EXPORT Result cuMemPoolGetAttribute(Handle pool, int attribute, void* value) {
    DOUBLE_UNSAFE_CALL(cuMemPoolGetAttribute);
    const auto found = state().pools.find(number_of(pool));
    if (found == state().pools.end() || found->second.is_imported) return invalid_value;
    if (attribute == pool_reserved) *static_cast<uint64_t*>(value) = found->second.reserved;
    else if (attribute == pool_used) *static_cast<uint64_t*>(value) = found->second.used;
    else if (attribute == 6) *static_cast<uint64_t*>(value) = found->second.reserved_high;
    else if (attribute == 8) *static_cast<uint64_t*>(value) = found->second.used_high;
    else return invalid_value;
    return success;
}

DOUBLE_EXPORT Result cuMemPoolSetAttribute(Handle, int, void*) {
    DOUBLE_CALL(cuMemPoolSetAttribute);
    return success;
}

DOUBLE_EXPORT Result cuDeviceGetMemPool(Handle* pool, Device device) {
    DOUBLE_CALL(cuDeviceGetMemPool);
    *pool = handle_of(state().devices.at(device).current_pool);
    return success;
}

DOUBLE_EXPORT Result cuDeviceGetDefaultMemPool(Handle* pool, Device device) {
    DOUBLE_CALL(cuDeviceGetDefaultMemPool);
    *pool = handle_of(state().devices.at(device).default_pool);
    return success;
}

DOUBLE_EXPORT Result cuDeviceSetMemPool(Device device, Handle pool) {
    DOUBLE_CALL(cuDeviceSetMemPool);
    state().devices.at(device).current_pool = number_of(pool);
    return success;
}

DOUBLE_EXPORT Result cuMemSetMemPool(Location* location, int, Handle pool) {
    DOUBLE_CALL(cuMemSetMemPool);
    if (location->type != location_device) return invalid_value;
    state().devices.at(location->id).current_pool = number_of(pool);
    return success;
}

DOUBLE_EXPORT Result cuMemPoolImportFromShareableHandle(Handle* pool, void*, int,
                                                        unsigned long long) {
    DOUBLE_CALL(cuMemPoolImportFromShareableHandle);
    *pool = handle_of(new_handle());
    Pool made{0};
    made.is_imported = true;
    state().pools[number_of(*pool)] = made;
    return success;
}

DOUBLE_EXPORT Result cuMemPoolImportPointer(DevicePointer* address, Handle pool, void* shared) {
    uint64_t size = 0;
    std::memcpy(&size, shared, sizeof size);
    DOUBLE_CALL(cuMemPoolImportPointer);
    *address = new_address(size);
    Block block{"imported", size, 0};
    block.pool = number_of(pool);
    add_block("cuMemPoolImportPointer", *address, block);
    return success;
}

// ---- streams -----------------------------------------------------------------------------------

DOUBLE_EXPORT Result cuStreamCreate(Handle* stream, unsigned) {
    DOUBLE_CALL(cuStreamCreate);
    *stream = handle_of(new_handle());
    return success;
}

DOUBLE_EXPORT Result cuStreamBeginCapture_v2(Handle stream, int) {
    DOUBLE_CALL(cuStreamBeginCapture_v2);
    state().captures[number_of(stream)] = false;
    return success;
}

DOUBLE_EXPORT Result cuStreamEndCapture(Handle stream, Handle* graph) {
    DOUBLE_CALL(cuStreamEndCapture);
    const auto found = state().captures.find(number_of(stream));
    if (found == state().captures.end()) return invalid_value;
    const bool is_spoiled = found->second;
    state().captures.erase(found);
    *graph = is_spoiled ? nullptr : handle_of(new_handle());
    return is_spoiled ? 901 : success;
}

DOUBLE_EXPORT Result cuStreamIsCapturing(Handle stream, int* status) {
    DOUBLE_CALL(cuStreamIsCapturing);
    *status = state().captures.count(number_of(stream)) != 0 ? 1 : 0;
    return success;
}

DOUBLE_EXPORT Result cuStreamIsCapturing_ptsz(Handle stream, int* status) {
    DOUBLE_CALL(cuStreamIsCapturing_ptsz);
    *status = state().captures.count(number_of(stream)) != 0 ? 1 : 0;
    return success;
}

DOUBLE_EXPORT Result cuThreadExchangeStreamCaptureMode(int* mode) {
    DOUBLE_CALL(cuThreadExchangeStreamCaptureMode);
    std::swap(*mode, capture_mode());
    return success;
}

// ---- graphs ------------------------------------------------------------------------------------

DOUBLE_EXPORT Result cuGraphCreate(Handle* graph, unsigned) {
    DOUBLE_CALL(cuGraphCreate);
    *graph = handle_of(new_handle());
    return success;
}

DOUBLE_EXPORT Result cuGraphAddMemAllocNode(Handle* node, Handle graph, const Handle*, size_t,
                                            AllocationNode* allocation) {
    DOUBLE_CALL(cuGraphAddMemAllocNode);
    return add_allocation(node, graph, allocation);
}

DOUBLE_EXPORT Result cuGraphAddMemFreeNode(Handle* node, Handle, const Handle*, size_t,
                                           DevicePointer address) {
    DOUBLE_CALL(cuGraphAddMemFreeNode);
    *node = handle_of(new_handle());
    write_log("gpu_release api=cuGraphAddMemFreeNode address=%#llx", address);
    return success;
}

DOUBLE_EXPORT Result cuGraphAddNode_v2(Handle* node, Handle graph, const Handle*, const void*,
                                       size_t, GraphNode* what) {
    DOUBLE_CALL(cuGraphAddNode_v2);
    *node = handle_of(new_handle());
    if (what->type == graph_node_allocates) {
        what->allocation.address = new_address(what->allocation.size);
        state().graphs[number_of(graph)].memory[what->allocation.address] = what->allocation.size;
        write_log(
            "gpu_acquire api=cuGraphAddNode memory=graph size=%zu address=%#llx device=%d "
            "context=0 pool=%#llx",
            what->allocation.size, what->allocation.address,
            what->allocation.properties.location.id,
            static_cast<unsigned long long>(number_of(graph)));
    } else if (what->type == graph_node_frees) {
        write_log("gpu_release api=cuGraphAddNode address=%#llx", what->freed);
    }
    return success;
}

DOUBLE_EXPORT Result cuGraphAddNode(Handle* node, Handle graph, const Handle* after, size_t count,
                                    GraphNode* what) {
    return cuGraphAddNode_v2(node, graph, after, nullptr, count, what);
}

DOUBLE_EXPORT Result cuGraphInstantiateWithFlags(Handle* executable, Handle graph,
                                                 unsigned long long) {
    DOUBLE_CALL(cuGraphInstantiateWithFlags);
    *executable = handle_of(new_handle());
    state().graphs[number_of(*executable)] = state().graphs[number_of(graph)];
    return success;
}

DOUBLE_EXPORT Result cuGraphLaunch(Handle graph, Handle) {
    DOUBLE_CALL(cuGraphLaunch);
    return launch(graph);
}

DOUBLE_EXPORT Result cuGraphLaunch_ptsz(Handle graph, Handle) {
    DOUBLE_CALL(cuGraphLaunch_ptsz);
    return launch(graph);
}

DOUBLE_EXPORT Result cuDeviceGetGraphMemAttribute(Device device, int attribute, void* value) {
    DOUBLE_UNSAFE_CALL(cuDeviceGetGraphMemAttribute);
    const DeviceState& of = state().devices.at(device);
    *static_cast<uint64_t*>(value) =
        attribute == graph_reserved ? of.graph_reserved : of.graph_used;
    return success;
}

DOUBLE_EXPORT Result cuDeviceGraphMemTrim(Device device) {
    DOUBLE_CALL(cuDeviceGraphMemTrim);
    DeviceState& of = state().devices.at(device);
    give(device, of.graph_reserved);
    of.graph_reserved = of.graph_used = 0;
    return success;
}
