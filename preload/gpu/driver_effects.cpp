// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/driver_effects.h"

#include "preload/cuda/cuda_array_size.h"
#include "preload/cuda/cuda_queries.h"

namespace memtrace::preload::cuda {
namespace {

uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool is_on_device(Location location) { return location.type == location_device; }

}  // namespace

// ---- memory at an address ----------------------------------------------------------------------

void after(Of<Api::cuMemAlloc>, DriverCall& call, DevicePointer* address, size_t size) {
    call.acquired(GpuMemory::device, *address, size, DriverCall::here());
}

void after(Of<Api::cuMemAllocPitch>, DriverCall& call, DevicePointer* address, size_t* pitch,
           size_t, size_t height, unsigned) {
    call.acquired(GpuMemory::device, *address, *pitch * height, DriverCall::here());
}

void after(Of<Api::cuMemAllocManaged>, DriverCall& call, DevicePointer* address, size_t size,
           unsigned) {
    call.acquired(GpuMemory::managed, *address, size, DriverCall::here());
}

void after(Of<Api::cuMemFree>, DriverCall& call, DevicePointer address) {
    if (address != 0) call.released(address);
}

void after(Of<Api::cuMemAllocHost>, DriverCall& call, void** address, size_t size) {
    call.acquired(GpuMemory::pinned, number_of(*address), size, DriverCall::here());
}

void after(Of<Api::cuMemHostAlloc>, DriverCall& call, void** address, size_t size, unsigned) {
    call.acquired(GpuMemory::pinned, number_of(*address), size, DriverCall::here());
}

void after(Of<Api::cuMemFreeHost>, DriverCall& call, void* address) {
    if (address != nullptr) call.released(number_of(address));
}

void after(Of<Api::cuMemHostRegister>, DriverCall& call, void* address, size_t size, unsigned) {
    call.acquired(GpuMemory::registered, number_of(address), size, DriverCall::here());
}

void after(Of<Api::cuMemHostUnregister>, DriverCall& call, void* address) {
    call.released(number_of(address));
}

// ---- addresses and physical memory -------------------------------------------------------------

void after(Of<Api::cuMemAddressReserve>, DriverCall& call, DevicePointer* address, size_t size,
           size_t, DevicePointer, unsigned long long) {
    call.acquired(GpuMemory::reserved, *address, size, DriverCall::on(no_device));
}

void after(Of<Api::cuMemAddressFree>, DriverCall& call, DevicePointer address, size_t) {
    call.released(address);
}

void before(Of<Api::cuMemCreate>, DriverCall& call, PhysicalHandle*, size_t,
            const AllocationProperties* properties, unsigned long long) {
    if (properties == nullptr) return;
    call.is_for_host = !is_on_device(properties->location);
    if (!call.is_for_host) call.device_before = properties->location.id;  // Used at a refusal.
}

void after(Of<Api::cuMemCreate>, DriverCall& call, PhysicalHandle* handle, size_t size,
           const AllocationProperties* properties, unsigned long long) {
    const Location location = properties->location;
    const bool on_device = is_on_device(location);
    call.acquired(on_device ? GpuMemory::physical : GpuMemory::physical_host, *handle, size,
                  DriverCall::on(on_device ? location.id : no_device));
}

void after(Of<Api::cuMemRelease>, DriverCall& call, PhysicalHandle handle) {
    call.released(handle);
}

void after(Of<Api::cuMemMap>, DriverCall& call, DevicePointer address, size_t size, size_t offset,
           PhysicalHandle handle, unsigned long long) {
    call.mapped(address, size, handle, offset);
}

void after(Of<Api::cuMemUnmap>, DriverCall& call, DevicePointer address, size_t size) {
    call.unmapped(address, size);
}

void after(Of<Api::cuMemMapArrayAsync>, DriverCall& call, void*, unsigned, Handle) {
    call.not_covered("cuMemMapArrayAsync: which memory a sparse array holds is not followed");
}

void after(Of<Api::cuMemRetainAllocationHandle>, DriverCall& call, PhysicalHandle* handle, void*) {
    call.retained(*handle);
}

void after(Of<Api::cuMemImportFromShareableHandle>, DriverCall& call, PhysicalHandle* handle, void*,
           int) {
    const Location location = location_of(*handle);
    call.acquired(GpuMemory::imported, *handle, 0,
                  DriverCall::on(is_on_device(location) ? location.id : no_device));
}

// A multicast object has no bytes of its own. It makes memory of several devices accessible at one
// address.
void after(Of<Api::cuMulticastCreate>, DriverCall& call, PhysicalHandle* handle,
           const MulticastProperties* properties) {
    call.acquired(GpuMemory::imported, *handle, properties->size, DriverCall::on(no_device));
}

// The driver's documents do not state whether the object keeps bound memory alive after its owner
// releases it. NCCL releases the memory when it unbinds it.
void after(Of<Api::cuMulticastBindMem>, DriverCall& call, PhysicalHandle, size_t, PhysicalHandle,
           size_t, size_t, unsigned long long) {
    call.not_covered("cuMulticastBindMem: that a multicast object holds memory is not followed");
}

void after(Of<Api::cuMulticastBindAddr>, DriverCall& call, PhysicalHandle, size_t, DevicePointer,
           size_t, unsigned long long) {
    call.not_covered("cuMulticastBindAddr: that a multicast object holds memory is not followed");
}

void after(Of<Api::cuMulticastUnbind>, DriverCall&, PhysicalHandle, Device, size_t, size_t) {}

// ---- arrays ------------------------------------------------------------------------------------

void after(Of<Api::cuArrayCreate>, DriverCall& call, Handle* array, const ArrayShape* shape) {
    call.acquired(GpuMemory::array, number_of(*array), bytes_of(*shape), DriverCall::here());
}

void after(Of<Api::cuArray3DCreate>, DriverCall& call, Handle* array, const Array3DShape* shape) {
    call.acquired(GpuMemory::array, number_of(*array), bytes_of(*shape), DriverCall::here());
}

void after(Of<Api::cuArrayDestroy>, DriverCall& call, Handle array) {
    call.released(number_of(array));
}

void after(Of<Api::cuMipmappedArrayCreate>, DriverCall& call, Handle* array,
           const Array3DShape* shape, unsigned levels) {
    call.acquired(GpuMemory::array, number_of(*array), bytes_of(*shape, levels),
                  DriverCall::here());
}

void after(Of<Api::cuMipmappedArrayDestroy>, DriverCall& call, Handle array) {
    call.released(number_of(array));
}

uint64_t asked(Of<Api::cuArrayCreate>, Handle*, const ArrayShape* shape) {
    return bytes_of(*shape);
}

uint64_t asked(Of<Api::cuArray3DCreate>, Handle*, const Array3DShape* shape) {
    return bytes_of(*shape);
}

uint64_t asked(Of<Api::cuMipmappedArrayCreate>, Handle*, const Array3DShape* shape,
               unsigned levels) {
    return bytes_of(*shape, levels);
}

// ---- memory of other processes and interfaces --------------------------------------------------

void after(Of<Api::cuIpcOpenMemHandle>, DriverCall& call, DevicePointer* address, IpcHandle,
           unsigned) {
    call.acquired(GpuMemory::imported, *address, size_at(*address), DriverCall::here());
}

void after(Of<Api::cuIpcCloseMemHandle>, DriverCall& call, DevicePointer address) {
    call.released(address);
}

void after(Of<Api::cuImportExternalMemory>, DriverCall& call, Handle* memory,
           const ExternalMemory* what) {
    call.acquired(GpuMemory::imported, number_of(*memory), what->size, DriverCall::here());
}

void after(Of<Api::cuExternalMemoryGetMappedBuffer>, DriverCall& call, DevicePointer* address,
           Handle memory, const ExternalBuffer* what) {
    call.acquired(GpuMemory::imported, *address, what->size, DriverCall::here(), number_of(memory));
}

void after(Of<Api::cuExternalMemoryGetMappedMipmappedArray>, DriverCall& call, Handle* array,
           Handle memory, const void*) {
    call.acquired(GpuMemory::imported, number_of(*array), 0, DriverCall::here(), number_of(memory));
}

void after(Of<Api::cuDestroyExternalMemory>, DriverCall& call, Handle memory) {
    call.released(number_of(memory));
}

}  // namespace memtrace::preload::cuda
