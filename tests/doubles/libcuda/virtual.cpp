// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's addresses, and its physical memory, which lives while it has references or
// mappings.
#include <sys/mman.h>

#include "tests/doubles/libcuda/state.h"

using namespace cuda_double;

namespace {

constexpr uint64_t granularity = uint64_t{2} << 20;

void go_if_unused(uint64_t handle) {
    const auto found = state().physical.find(handle);
    const Physical& memory = found->second;
    if (memory.references != 0 || memory.mappings != 0) return;
    if (memory.location.type == location_device && !memory.is_imported) {
        give(memory.location.id, memory.size);
    }
    state().physical.erase(found);
}

unsigned long long plain(uint64_t number) { return number; }

}  // namespace

DOUBLE_EXPORT Result cuMemGetAllocationGranularity(size_t* size, const AllocationProperties*, int) {
    DOUBLE_CALL(cuMemGetAllocationGranularity);
    *size = granularity;
    return success;
}

DOUBLE_EXPORT Result cuMemAddressReserve(DevicePointer* address, size_t size, size_t, DevicePointer,
                                         unsigned long long) {
    DOUBLE_CALL(cuMemAddressReserve);
    if (size == 0 || size % granularity != 0) return invalid_value;
    *address = new_address(size);
    state().reservations[*address] = size;
    write_log(
        "gpu_acquire api=cuMemAddressReserve memory=reserved size=%zu address=%#llx "
        "device=0 context=0 pool=0",
        size, *address);
    return success;
}

DOUBLE_EXPORT Result cuMemAddressFree(DevicePointer address, size_t size) {
    DOUBLE_CALL(cuMemAddressFree);
    const auto found = state().reservations.find(address);
    if (found == state().reservations.end() || found->second != size) return invalid_value;
    state().reservations.erase(found);
    address_is_free(address, size);
    write_log("gpu_release api=cuMemAddressFree address=%#llx", address);
    return success;
}

DOUBLE_EXPORT Result cuMemCreate(PhysicalHandle* handle, size_t size,
                                 const AllocationProperties* properties, unsigned long long) {
    DOUBLE_CALL(cuMemCreate);
    const Location location = properties->location;
    const bool on_device = location.type == location_device;
    if (size == 0 || size % granularity != 0) return invalid_value;
    if (on_device && !take(location.id, size)) return out_of_memory;
    *handle = new_handle();
    state().physical[*handle] = Physical{size, location};
    write_log(
        "gpu_acquire api=cuMemCreate memory=%s size=%zu address=%#llx device=%d context=0 "
        "pool=0",
        on_device ? "physical" : "physical_host", size, *handle, on_device ? location.id : 0);
    return success;
}

DOUBLE_EXPORT Result cuMemRelease(PhysicalHandle handle) {
    DOUBLE_CALL(cuMemRelease);
    const auto found = state().physical.find(handle);
    if (found == state().physical.end() || found->second.references == 0) return invalid_value;
    --found->second.references;
    go_if_unused(handle);
    write_log("gpu_release api=cuMemRelease address=%#llx", handle);
    return success;
}

DOUBLE_EXPORT Result cuMemMap(DevicePointer address, size_t size, size_t offset,
                              PhysicalHandle handle, unsigned long long) {
    DOUBLE_CALL(cuMemMap);
    const auto found = state().physical.find(handle);
    if (found == state().physical.end() || offset + size > found->second.size) {
        return invalid_value;
    }
    ++found->second.mappings;
    state().mappings[address] = Mapping{size, handle};
    write_log("gpu_map api=cuMemMap address=%#llx size=%zu handle=%#llx offset=%zu", address, size,
              handle, offset);
    return success;
}

DOUBLE_EXPORT Result cuMemSetAccess(DevicePointer, size_t, const void*, size_t) {
    DOUBLE_CALL(cuMemSetAccess);
    return success;
}

DOUBLE_EXPORT Result cuMemUnmap(DevicePointer address, size_t size) {
    DOUBLE_CALL(cuMemUnmap);
    auto mapping = state().mappings.lower_bound(address);
    if (mapping == state().mappings.end() || mapping->first >= address + size) {
        return invalid_value;
    }
    while (mapping != state().mappings.end() && mapping->first < address + size) {
        const uint64_t handle = mapping->second.handle;
        mapping = state().mappings.erase(mapping);
        --state().physical.at(handle).mappings;
        go_if_unused(handle);
    }
    write_log("gpu_unmap api=cuMemUnmap address=%#llx size=%zu", address, size);
    return success;
}

DOUBLE_EXPORT Result cuMemRetainAllocationHandle(PhysicalHandle* handle, void* address) {
    DOUBLE_CALL(cuMemRetainAllocationHandle);
    auto mapping = state().mappings.upper_bound(number_of(address));
    if (mapping == state().mappings.begin()) return invalid_value;
    --mapping;
    if (number_of(address) >= mapping->first + mapping->second.size) return invalid_value;
    *handle = mapping->second.handle;
    ++state().physical.at(*handle).references;
    write_log("gpu_retain api=cuMemRetainAllocationHandle handle=%#llx", *handle);
    return success;
}

DOUBLE_EXPORT Result cuMemExportToShareableHandle(void* shared, PhysicalHandle handle, int,
                                                  unsigned long long) {
    DOUBLE_CALL(cuMemExportToShareableHandle);
    *static_cast<int*>(shared) = static_cast<int>(state().physical.at(handle).size >> 20);
    return success;
}

DOUBLE_EXPORT Result cuMemImportFromShareableHandle(PhysicalHandle* handle, void* shared, int) {
    DOUBLE_CALL(cuMemImportFromShareableHandle);
    Physical memory{number_of(shared) << 20, {location_device, 0}};
    memory.is_imported = true;
    *handle = new_handle();
    state().physical[*handle] = memory;
    write_log(
        "gpu_acquire api=cuMemImportFromShareableHandle memory=imported size=0 "
        "address=%#llx device=0 context=0 pool=0",
        *handle);
    return success;
}

DOUBLE_EXPORT Result cuMemGetAllocationPropertiesFromHandle(AllocationProperties* properties,
                                                            PhysicalHandle handle) {
    DOUBLE_CALL(cuMemGetAllocationPropertiesFromHandle);
    const auto found = state().physical.find(handle);
    if (found == state().physical.end()) return invalid_value;
    *properties = {};
    properties->type = 1;
    properties->location = found->second.location;
    return success;
}

DOUBLE_EXPORT Result cuMemMapArrayAsync(void*, unsigned, Handle) {
    DOUBLE_CALL(cuMemMapArrayAsync);
    return success;
}

DOUBLE_EXPORT Result cuMemMapArrayAsync_ptsz(void*, unsigned, Handle) {
    DOUBLE_CALL(cuMemMapArrayAsync_ptsz);
    return success;
}

// ---- memory of several devices at one address --------------------------------------------------

DOUBLE_EXPORT Result cuMulticastCreate(PhysicalHandle* handle,
                                       const MulticastProperties* properties) {
    DOUBLE_CALL(cuMulticastCreate);
    Physical object{properties->size, {0, 0}};
    object.is_imported = true;
    *handle = new_handle();
    state().physical[*handle] = object;
    write_log(
        "gpu_acquire api=cuMulticastCreate memory=imported size=%zu address=%#llx device=0 "
        "context=0 pool=0",
        properties->size, plain(*handle));
    return success;
}

DOUBLE_EXPORT Result cuMulticastAddDevice(PhysicalHandle, Device) {
    DOUBLE_CALL(cuMulticastAddDevice);
    return success;
}

DOUBLE_EXPORT Result cuMulticastBindMem(PhysicalHandle, size_t, PhysicalHandle, size_t, size_t,
                                        unsigned long long) {
    DOUBLE_CALL(cuMulticastBindMem);
    return success;
}

DOUBLE_EXPORT Result cuMulticastBindAddr(PhysicalHandle, size_t, DevicePointer, size_t,
                                         unsigned long long) {
    DOUBLE_CALL(cuMulticastBindAddr);
    return success;
}

DOUBLE_EXPORT Result cuMulticastUnbind(PhysicalHandle, Device, size_t, size_t) {
    DOUBLE_CALL(cuMulticastUnbind);
    return success;
}
