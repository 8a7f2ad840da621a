// SPDX-License-Identifier: Apache-2.0
//
// What each function of gpu_apis.def leaves in the dump. For a function `api` there are
//
//   after(Of<Api::api>{}, call, arguments…)   runs after a call that succeeded
//   before(…)                                 runs before the real call; most functions have none
//   asked(Of<Api::api>{}, arguments…)         returns the requested bytes, for refusals
#pragma once

#include "preload/gpu/driver_call.h"

namespace memtrace::preload::cuda {

template <Api api>
struct Of {};

// ---- memory at an address ----------------------------------------------------------------------
void after(Of<Api::cuMemAlloc>, DriverCall& call, DevicePointer* address, size_t size);
void after(Of<Api::cuMemAllocPitch>, DriverCall& call, DevicePointer* address, size_t* pitch,
           size_t width, size_t height, unsigned element);
void after(Of<Api::cuMemAllocManaged>, DriverCall& call, DevicePointer* address, size_t size,
           unsigned flags);
void after(Of<Api::cuMemFree>, DriverCall& call, DevicePointer address);
void after(Of<Api::cuMemAllocHost>, DriverCall& call, void** address, size_t size);
void after(Of<Api::cuMemHostAlloc>, DriverCall& call, void** address, size_t size, unsigned flags);
void after(Of<Api::cuMemFreeHost>, DriverCall& call, void* address);
void after(Of<Api::cuMemHostRegister>, DriverCall& call, void* address, size_t size,
           unsigned flags);
void after(Of<Api::cuMemHostUnregister>, DriverCall& call, void* address);

// ---- pools -------------------------------------------------------------------------------------
void before(Of<Api::cuMemAllocAsync>, DriverCall& call, DevicePointer* address, size_t size,
            Handle stream);
void after(Of<Api::cuMemAllocAsync>, DriverCall& call, DevicePointer* address, size_t size,
           Handle stream);
void before(Of<Api::cuMemAllocFromPoolAsync>, DriverCall& call, DevicePointer* address, size_t size,
            Handle pool, Handle stream);
void after(Of<Api::cuMemAllocFromPoolAsync>, DriverCall& call, DevicePointer* address, size_t size,
           Handle pool, Handle stream);
void after(Of<Api::cuMemFreeAsync>, DriverCall& call, DevicePointer address, Handle stream);
void after(Of<Api::cuMemPoolCreate>, DriverCall& call, Handle* pool,
           const PoolProperties* properties);
void after(Of<Api::cuMemPoolDestroy>, DriverCall& call, Handle pool);
void after(Of<Api::cuMemPoolTrimTo>, DriverCall& call, Handle pool, size_t keep);
void after(Of<Api::cuDeviceSetMemPool>, DriverCall& call, Device device, Handle pool);
void after(Of<Api::cuMemSetMemPool>, DriverCall& call, Location* location, int type, Handle pool);
void after(Of<Api::cuMemPoolImportFromShareableHandle>, DriverCall& call, Handle* pool,
           void* shared, int type, unsigned long long flags);
void after(Of<Api::cuMemPoolImportPointer>, DriverCall& call, DevicePointer* address, Handle pool,
           void* shared);

// ---- addresses and physical memory -------------------------------------------------------------
void after(Of<Api::cuMemAddressReserve>, DriverCall& call, DevicePointer* address, size_t size,
           size_t alignment, DevicePointer wanted, unsigned long long flags);
void after(Of<Api::cuMemAddressFree>, DriverCall& call, DevicePointer address, size_t size);
void before(Of<Api::cuMemCreate>, DriverCall& call, PhysicalHandle* handle, size_t size,
            const AllocationProperties* properties, unsigned long long flags);
void after(Of<Api::cuMemCreate>, DriverCall& call, PhysicalHandle* handle, size_t size,
           const AllocationProperties* properties, unsigned long long flags);
void after(Of<Api::cuMemRelease>, DriverCall& call, PhysicalHandle handle);
void after(Of<Api::cuMemMap>, DriverCall& call, DevicePointer address, size_t size, size_t offset,
           PhysicalHandle handle, unsigned long long flags);
void after(Of<Api::cuMemUnmap>, DriverCall& call, DevicePointer address, size_t size);
void after(Of<Api::cuMemMapArrayAsync>, DriverCall& call, void* list, unsigned count,
           Handle stream);
void after(Of<Api::cuMemRetainAllocationHandle>, DriverCall& call, PhysicalHandle* handle,
           void* address);
void after(Of<Api::cuMemImportFromShareableHandle>, DriverCall& call, PhysicalHandle* handle,
           void* shared, int type);
void after(Of<Api::cuMulticastCreate>, DriverCall& call, PhysicalHandle* handle,
           const MulticastProperties* properties);
void after(Of<Api::cuMulticastBindMem>, DriverCall& call, PhysicalHandle object, size_t offset,
           PhysicalHandle memory, size_t memory_offset, size_t size, unsigned long long flags);
void after(Of<Api::cuMulticastBindAddr>, DriverCall& call, PhysicalHandle object, size_t offset,
           DevicePointer memory, size_t size, unsigned long long flags);
void after(Of<Api::cuMulticastUnbind>, DriverCall& call, PhysicalHandle object, Device device,
           size_t offset, size_t size);

// ---- arrays ------------------------------------------------------------------------------------
void after(Of<Api::cuArrayCreate>, DriverCall& call, Handle* array, const ArrayShape* shape);
void after(Of<Api::cuArray3DCreate>, DriverCall& call, Handle* array, const Array3DShape* shape);
void after(Of<Api::cuArrayDestroy>, DriverCall& call, Handle array);
void after(Of<Api::cuMipmappedArrayCreate>, DriverCall& call, Handle* array,
           const Array3DShape* shape, unsigned levels);
void after(Of<Api::cuMipmappedArrayDestroy>, DriverCall& call, Handle array);

// ---- memory of other processes and interfaces --------------------------------------------------
void after(Of<Api::cuIpcOpenMemHandle>, DriverCall& call, DevicePointer* address, IpcHandle shared,
           unsigned flags);
void after(Of<Api::cuIpcCloseMemHandle>, DriverCall& call, DevicePointer address);
void after(Of<Api::cuImportExternalMemory>, DriverCall& call, Handle* memory,
           const ExternalMemory* what);
void after(Of<Api::cuExternalMemoryGetMappedBuffer>, DriverCall& call, DevicePointer* address,
           Handle memory, const ExternalBuffer* what);
void after(Of<Api::cuExternalMemoryGetMappedMipmappedArray>, DriverCall& call, Handle* array,
           Handle memory, const void* what);
void after(Of<Api::cuDestroyExternalMemory>, DriverCall& call, Handle memory);

// ---- graphs ------------------------------------------------------------------------------------
void after(Of<Api::cuGraphAddMemAllocNode>, DriverCall& call, Handle* node, Handle graph,
           const Handle* previous, size_t count, AllocationNode* allocation);
void after(Of<Api::cuGraphAddMemFreeNode>, DriverCall& call, Handle* node, Handle graph,
           const Handle* previous, size_t count, DevicePointer address);
void after(Of<Api::cuGraphAddNode>, DriverCall& call, Handle* node, Handle graph,
           const Handle* previous, size_t count, GraphNode* what);
void after(Of<Api::cuGraphAddNode>, DriverCall& call, Handle* node, Handle graph,
           const Handle* previous, const void* edges, size_t count, GraphNode* what);
void after(Of<Api::cuGraphLaunch>, DriverCall& call, Handle graph, Handle stream);
void after(Of<Api::cuDeviceGraphMemTrim>, DriverCall& call, Device device);

// ---- contexts ----------------------------------------------------------------------------------
void begin_context(DriverCall& call, Device device);
void made_context(DriverCall& call, uint64_t context, Device device);
void begin_end_of_context(DriverCall& call, Handle context);
void ended_context(DriverCall& call, Handle context);
void before(Of<Api::cuDevicePrimaryCtxRetain>, DriverCall& call, Handle* context, Device device);
void after(Of<Api::cuDevicePrimaryCtxRetain>, DriverCall& call, Handle* context, Device device);
void before(Of<Api::cuDevicePrimaryCtxRelease>, DriverCall& call, Device device);
void after(Of<Api::cuDevicePrimaryCtxRelease>, DriverCall& call, Device device);
void before(Of<Api::cuDevicePrimaryCtxReset>, DriverCall& call, Device device);
void after(Of<Api::cuDevicePrimaryCtxReset>, DriverCall& call, Device device);

// The device is the last argument of each version of cuCtxCreate.
template <class First>
First last_of(First first) {
    return first;
}
template <class First, class... Rest>
auto last_of(First, Rest... rest) {
    return last_of(rest...);
}

template <class... Rest>
void before(Of<Api::cuCtxCreate>, DriverCall& call, Handle*, Rest... rest) {
    begin_context(call, last_of(rest...));
}
template <class... Rest>
void after(Of<Api::cuCtxCreate>, DriverCall& call, Handle* context, Rest... rest) {
    made_context(call, reinterpret_cast<uint64_t>(*context), last_of(rest...));
}
inline void after(Of<Api::cuGreenCtxCreate>, DriverCall& call, Handle* context, void*,
                  Device device, unsigned) {
    made_context(call, reinterpret_cast<uint64_t>(*context), device);
}
inline void before(Of<Api::cuCtxDestroy>, DriverCall& call, Handle context) {
    begin_end_of_context(call, context);
}
inline void after(Of<Api::cuCtxDestroy>, DriverCall& call, Handle context) {
    ended_context(call, context);
}
inline void before(Of<Api::cuGreenCtxDestroy>, DriverCall& call, Handle context) {
    begin_end_of_context(call, context);
}
inline void after(Of<Api::cuGreenCtxDestroy>, DriverCall& call, Handle context) {
    ended_context(call, context);
}

// ---- memory that the driver takes for itself ---------------------------------------------------
template <Api api>
inline constexpr bool is_load =
    api == Api::cuModuleLoad || api == Api::cuModuleLoadData || api == Api::cuModuleLoadDataEx ||
    api == Api::cuModuleLoadFatBinary || api == Api::cuLibraryLoadData ||
    api == Api::cuLibraryLoadFromFile;
template <Api api>
inline constexpr bool is_unload = api == Api::cuModuleUnload || api == Api::cuLibraryUnload;

template <Api api, class... Rest>
requires(is_load<api>) void after(Of<api>, DriverCall& call, Handle* object, Rest...) {
    call.measure_after(reinterpret_cast<uint64_t>(*object));
}
template <Api api>
requires(is_unload<api>) void after(Of<api>, DriverCall& call, Handle object) {
    call.measure_after(reinterpret_cast<uint64_t>(object));
}
inline void after(Of<Api::cuCtxSetLimit>, DriverCall& call, int, size_t) { call.measure_after(0); }

// ---- all others --------------------------------------------------------------------------------
template <Api api, class... Arguments>
void before(Of<api>, DriverCall& call, Arguments...) {
    if constexpr (is_load<api> || is_unload<api> || api == Api::cuCtxSetLimit) {
        call.measure_before();
    }
}

inline uint64_t asked(Of<Api::cuMemAllocPitch>, DevicePointer*, size_t*, size_t width,
                      size_t height, unsigned) {
    return uint64_t{width} * height;
}
// Of limits on memory as a whole. The limit on stacks is one of each thread of the device.
inline uint64_t asked(Of<Api::cuCtxSetLimit>, int limit, size_t value) {
    constexpr int printf_buffer = 1, malloc_heap = 2;
    return limit == printf_buffer || limit == malloc_heap ? value : 0;
}
uint64_t asked(Of<Api::cuArrayCreate>, Handle* array, const ArrayShape* shape);
uint64_t asked(Of<Api::cuArray3DCreate>, Handle* array, const Array3DShape* shape);
uint64_t asked(Of<Api::cuMipmappedArrayCreate>, Handle* array, const Array3DShape* shape,
               unsigned levels);
// Functions that allocate memory take the place for its address first, then its size.
template <Api api, class Address, class... Rest>
uint64_t asked(Of<api>, Address*, size_t size, Rest...) {
    return size;
}
template <Api api>
uint64_t asked(Of<api>, auto...) {
    return 0;
}

}  // namespace memtrace::preload::cuda
