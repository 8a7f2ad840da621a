// SPDX-License-Identifier: Apache-2.0
//
// Effects of pools, graphs and contexts, which hold memory for the program.
#include "preload/cuda/cuda_handles.h"
#include "preload/cuda/cuda_queries.h"
#include "preload/gpu/driver_effects.h"
#include "preload/gpu/look_times.h"

namespace memtrace::preload::cuda {
namespace {

uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// A pool is queried at each large block, and as LookTimes says.
constexpr size_t large_block = size_t{1} << 20;

void acquired_from_pool(DriverCall& call, DevicePointer address, size_t size, Handle pool) {
    if (call.was_captured) {
        const Device device = current_device();
        note_graph_memory(device);
        call.acquired(GpuMemory::graph, address, size, DriverCall::on(device));
        return;
    }
    const Origin origin = origin_of(address, pool);
    call.acquired(origin.is_on_host ? GpuMemory::pinned : GpuMemory::pooled, address, size,
                  DriverCall::on(origin.device), origin.pool);
    if (origin.is_on_host || origin.pool == 0) return;
    const bool is_new = pools.device_of(origin.pool) != origin.device;
    if (is_new) pools.remember(origin.pool, origin.device);
    if (pool_looks.is_time(origin.pool, size) || is_new || size >= large_block) {
        call.look_at_pool(reinterpret_cast<Handle>(origin.pool), GpuPoolKind::pool);
    }
}

}  // namespace

// ---- pools -------------------------------------------------------------------------------------

void before(Of<Api::cuMemAllocAsync>, DriverCall& call, DevicePointer*, size_t, Handle stream) {
    call.was_captured = is_captured(stream, call.is_per_thread);
}

void after(Of<Api::cuMemAllocAsync>, DriverCall& call, DevicePointer* address, size_t size,
           Handle) {
    acquired_from_pool(call, *address, size, nullptr);
}

void before(Of<Api::cuMemAllocFromPoolAsync>, DriverCall& call, DevicePointer*, size_t, Handle pool,
            Handle stream) {
    call.was_captured = is_captured(stream, call.is_per_thread);
    call.device_before = pools.device_of(number_of(pool));  // Used if the call is refused.
    call.is_for_host = call.device_before == on_host;
}

void after(Of<Api::cuMemAllocFromPoolAsync>, DriverCall& call, DevicePointer* address, size_t size,
           Handle pool, Handle) {
    acquired_from_pool(call, *address, size, pool);
}

void after(Of<Api::cuMemFreeAsync>, DriverCall& call, DevicePointer address, Handle) {
    if (address != 0) call.released(address);
}

void after(Of<Api::cuMemPoolCreate>, DriverCall& call, Handle* pool,
           const PoolProperties* properties) {
    const bool is_on_device = properties->location.type == location_device;
    pools.remember(number_of(*pool), is_on_device ? properties->location.id : on_host);
    if (!is_on_device) return;
    call.look_at_pool(*pool, GpuPoolKind::pool);
}

void after(Of<Api::cuMemPoolDestroy>, DriverCall& call, Handle pool) {
    call.look_at_pool(pool, GpuPoolKind::gone);
    if (!call.is_written()) return;
    pools.forget(number_of(pool));
    pool_looks.forget(number_of(pool));
}

void after(Of<Api::cuMemPoolTrimTo>, DriverCall& call, Handle pool, size_t) {
    call.look_at_pool(pool, GpuPoolKind::pool);
}

void after(Of<Api::cuDeviceSetMemPool>, DriverCall& call, Device device, Handle pool) {
    pools.remember(number_of(pool), device);
    remember_current_pool(device, number_of(pool));
    call.look_at_pool(pool, GpuPoolKind::pool);
}

void after(Of<Api::cuMemSetMemPool>, DriverCall& call, Location* location, int, Handle pool) {
    if (location->type != location_device) return;
    pools.remember(number_of(pool), location->id);
    remember_current_pool(location->id, number_of(pool));
    call.look_at_pool(pool, GpuPoolKind::pool);
}

void after(Of<Api::cuMemPoolImportFromShareableHandle>, DriverCall& call, Handle* pool, void*, int,
           unsigned long long) {
    // The device is known for certain only when a pointer from the pool comes. The memory in the
    // pool belongs to another process.
    pools.remember(number_of(*pool), current_device());
    call.look_at_pool(*pool, GpuPoolKind::imported);
}

void after(Of<Api::cuMemPoolImportPointer>, DriverCall& call, DevicePointer* address, Handle pool,
           void*) {
    const Origin origin = origin_of(*address, pool);
    call.acquired(GpuMemory::imported, *address, size_at(*address), DriverCall::on(origin.device),
                  number_of(pool));
}

// ---- graphs ------------------------------------------------------------------------------------

void after(Of<Api::cuGraphAddMemAllocNode>, DriverCall& call, Handle*, Handle graph, const Handle*,
           size_t, AllocationNode* allocation) {
    note_graph_memory(allocation->properties.location.id);
    call.acquired(GpuMemory::graph, allocation->address, allocation->size,
                  DriverCall::on(allocation->properties.location.id), number_of(graph));
}

void after(Of<Api::cuGraphAddMemFreeNode>, DriverCall& call, Handle*, Handle, const Handle*, size_t,
           DevicePointer address) {
    call.released(address);
}

void after(Of<Api::cuGraphAddNode>, DriverCall& call, Handle* node, Handle graph,
           const Handle* previous, size_t count, GraphNode* what) {
    if (what->type == graph_node_allocates) {
        after(Of<Api::cuGraphAddMemAllocNode>{}, call, node, graph, previous, count,
              &what->allocation);
    } else if (what->type == graph_node_frees) {
        after(Of<Api::cuGraphAddMemFreeNode>{}, call, node, graph, previous, count, what->freed);
    }
}

void after(Of<Api::cuGraphAddNode>, DriverCall& call, Handle* node, Handle graph,
           const Handle* previous, const void*, size_t count, GraphNode* what) {
    after(Of<Api::cuGraphAddNode>{}, call, node, graph, previous, count, what);
}

// The memory may be on other devices than the current one.
void after(Of<Api::cuGraphLaunch>, DriverCall& call, Handle graph, Handle) {
    if (!has_graph_memory() || !graph_looks.is_time(number_of(graph), 0)) return;
    for_each_graph_device([&](Device device) { call.look_at_graphs(device); });
    graph_looks.looked(number_of(graph), 0, 0);
}

void after(Of<Api::cuDeviceGraphMemTrim>, DriverCall& call, Device device) {
    call.look_at_graphs(device);
    graph_looks.start_over();  // Each graph takes its memory again when it is launched.
}

// ---- contexts ----------------------------------------------------------------------------------

void begin_context(DriverCall& call, Device device) {
    call.device_before = device;
    call.measure_before();
}

void made_context(DriverCall& call, uint64_t context, Device device) {
    contexts.remember(context, device);
    call.changed_context(GpuContextChange::created, context, device);
    call.measure_after(context);
}

void begin_end_of_context(DriverCall& call, Handle context) {
    call.context_before = number_of(context);
    call.device_before = contexts.device_of(call.context_before);
    if (call.device_before == no_device && current_context() == call.context_before) {
        call.device_before = current_device();
    }
}

void ended_context(DriverCall& call, Handle) {
    if (call.context_before == 0) return;  // The runtime reset a device that it had not used.
    contexts.forget(call.context_before);
    call.ended_context(GpuContextChange::destroyed, call.context_before, call.device_before);
}

void before(Of<Api::cuDevicePrimaryCtxRetain>, DriverCall& call, Handle*, Device device) {
    call.was_active = primary_context_is_active(device);
    begin_context(call, device);
}

void after(Of<Api::cuDevicePrimaryCtxRetain>, DriverCall& call, Handle* context, Device device) {
    const uint64_t number = number_of(*context);
    contexts.remember(number, device);
    remember_primary_context(device, number);
    call.changed_context(call.was_active ? GpuContextChange::retained : GpuContextChange::created,
                         number, device);
    if (!call.was_active) call.measure_after(number);
}

namespace {

void begin_primary(DriverCall& call, Device device) {
    call.device_before = device;
    call.context_before = primary_context_of(device);
    call.was_active = primary_context_is_active(device);
}

}  // namespace

void before(Of<Api::cuDevicePrimaryCtxRelease>, DriverCall& call, Device device) {
    begin_primary(call, device);
}

void after(Of<Api::cuDevicePrimaryCtxRelease>, DriverCall& call, Device device) {
    const bool is_there = primary_context_is_active(device);
    call.ended_context(is_there ? GpuContextChange::released : GpuContextChange::destroyed,
                       call.context_before, device);
}

void before(Of<Api::cuDevicePrimaryCtxReset>, DriverCall& call, Device device) {
    begin_primary(call, device);
}

// Owners that retained the context still have it, but its memory is gone.
void after(Of<Api::cuDevicePrimaryCtxReset>, DriverCall& call, Device device) {
    if (!call.was_active) return;
    call.ended_context(GpuContextChange::destroyed, call.context_before, device);
}

}  // namespace memtrace::preload::cuda
