// What the programs gpu_linked and gpu_loaded do to the driver: `PROGRAM WAY STORY`. They print the
// result of each call, and at the end what they still hold by the count of the driver's stand-in.
#pragma once

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/programs/gpu_functions.h"

namespace gpu {

inline Functions cu;

// The stand-in's own functions (tests/doubles/libcuda/double.h), wherever it was loaded from.
inline void* of_double(const char* name) {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return dlsym(driver, name);
}
inline unsigned long long count(const char* name) {
    return reinterpret_cast<unsigned long long (*)()>(of_double(name))();
}
inline unsigned long long device_bytes(int device) {
    return reinterpret_cast<unsigned long long (*)(int)>(of_double("double_device_bytes"))(device);
}
inline void fail(const char* function, int result, int times) {
    reinterpret_cast<void (*)(const char*, int, int)>(of_double("double_fail"))(function, result,
                                                                                times);
}
inline void linger_after_free(unsigned microseconds) {
    reinterpret_cast<void (*)(unsigned)>(of_double("double_linger_after_free"))(microseconds);
}

#define SAY(call) printf("%s: %d\n", #call, call)

inline constexpr size_t mib = size_t{1} << 20;

inline Handle own_context(Device device = 0) {
    Handle context = nullptr;
    SAY(cu.cuCtxCreate_v2(&context, 0, device));
    return context;
}

inline void plain() {
    Handle const context = own_context();
    DevicePointer address[4] = {};
    size_t pitch = 0;
    SAY(cu.cuMemAlloc_v2(&address[0], 1000));
    SAY(cu.cuMemAllocPitch_v2(&address[1], &pitch, 100, 10, 4));
    SAY(cu.cuMemAllocManaged(&address[2], 3 * mib, 1));
    SAY(cu.cuMemAlloc_v2(&address[3], 7 * mib));
    SAY(cu.cuMemFree_v2(address[0]));
    SAY(cu.cuMemFree_v2(address[2]));
    SAY(cu.cuMemFree_v2(0));
    Handle again = context;
    SAY(cu.cuCtxCreate_v2(&again, 0, 1));
    SAY(cu.cuMemAlloc_v2(&address[0], 5 * mib));
}

inline void pinned() {
    own_context();
    void* pages[2] = {};
    SAY(cu.cuMemAllocHost_v2(&pages[0], 2 * mib));
    SAY(cu.cuMemHostAlloc(&pages[1], 3 * mib, 0));
    memset(pages[1], 1, 3 * mib);
    SAY(cu.cuMemFreeHost(pages[0]));
    static char own[8192];
    SAY(cu.cuMemHostRegister_v2(own, sizeof own, 0));
    SAY(cu.cuMemHostUnregister(own));
    SAY(cu.cuMemHostRegister(own, 4096, 0));
}

inline void virtual_memory() {
    AllocationProperties on_device{}, on_host{};
    on_device.location = {location_device, 1};
    on_host.location = {3, 0};
    DevicePointer range = 0, other = 0;
    PhysicalHandle a = 0, b = 0, host = 0, again = 0, imported = 0;
    SAY(cu.cuMemAddressReserve(&range, 64 * mib, 0, 0, 0));
    SAY(cu.cuMemAddressReserve(&other, 64 * mib, 0, 0, 0));
    SAY(cu.cuMemCreate(&a, 20 * mib, &on_device, 0));
    SAY(cu.cuMemMap(range, 20 * mib, 0, a, 0));
    SAY(cu.cuMemRelease(a));  // It lives on by its mapping, as in PyTorch and NCCL.
    SAY(cu.cuMemCreate(&b, 2 * mib, &on_device, 0));
    SAY(cu.cuMemMap(range + 20 * mib, 2 * mib, 0, b, 0));
    SAY(cu.cuMemMap(other, 2 * mib, 0, b, 0));  // the same memory twice
    SAY(cu.cuMemUnmap(range, 22 * mib));        // two mappings by one call; `a` is gone
    SAY(cu.cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(other)));
    SAY(cu.cuMemRelease(b));
    SAY(cu.cuMemUnmap(other, 2 * mib));
    SAY(cu.cuMemCreate(&host, 4 * mib, &on_host, 0));
    SAY(cu.cuMemAddressFree(range, 64 * mib));
    SAY(cu.cuMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(8), 1));
    SAY(cu.cuMemRelease(imported));
    SAY(cu.cuMemRelease(again));
}

inline void pools() {
    own_context();
    PoolProperties properties{};
    properties.location = {location_device, 1};
    Handle pool = nullptr, host = nullptr, imported = nullptr;
    DevicePointer address[8] = {};
    SAY(cu.cuMemAllocAsync(&address[0], 10 * mib, nullptr));
    SAY(cu.cuMemAllocAsync_ptsz(&address[1], 30 * mib, nullptr));
    SAY(cu.cuMemFreeAsync(address[0], nullptr));
    SAY(cu.cuMemPoolCreate(&pool, &properties));
    SAY(cu.cuMemAllocFromPoolAsync(&address[2], 40 * mib, pool, nullptr));
    SAY(cu.cuMemAllocFromPoolAsync_ptsz(&address[3], 100, pool, nullptr));
    SAY(cu.cuMemFreeAsync_ptsz(address[2], nullptr));
    SAY(cu.cuMemPoolTrimTo(pool, 0));
    SAY(cu.cuMemFree_v2(address[1]));
    SAY(cu.cuDeviceSetMemPool(1, pool));
    Location where = {location_device, 1};
    SAY(cu.cuMemSetMemPool(&where, 1, pool));
    SAY(cu.cuMemFreeAsync(address[3], nullptr));
    SAY(cu.cuMemPoolDestroy(pool));
    properties.location = {3, 0};
    SAY(cu.cuMemPoolCreate(&host, &properties));
    SAY(cu.cuMemAllocFromPoolAsync(&address[4], 4096, host, nullptr));
    SAY(cu.cuMemPoolImportFromShareableHandle(&imported, nullptr, 1, 0));
    uint64_t shared[8] = {5 * mib};
    SAY(cu.cuMemPoolImportPointer(&address[5], imported, shared));
    SAY(cu.cuMemFreeAsync(address[5], nullptr));
}

inline void captured() {
    own_context();
    Handle stream = nullptr, graph = nullptr;
    DevicePointer address = 0;
    SAY(cu.cuMemAllocAsync(&address, mib, nullptr));
    SAY(cu.cuStreamCreate(&stream, 0));
    SAY(cu.cuStreamBeginCapture_v2(stream, 0));
    SAY(cu.cuMemAllocAsync(&address, 6 * mib, stream));
    SAY(cu.cuMemFreeAsync(address, stream));
    // Of another stream, while the first is captured: the shim's queries must not spoil the
    // capture.
    SAY(cu.cuMemAllocAsync(&address, 3 * mib, nullptr));
    SAY(cu.cuStreamEndCapture(stream, &graph));
}

inline void graphs() {
    own_context();
    Handle graph = nullptr, node = nullptr, executable = nullptr;
    AllocationNode allocation{};
    allocation.properties.location = {location_device, 0};
    allocation.size = 12 * mib;
    SAY(cu.cuGraphCreate(&graph, 0));
    SAY(cu.cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &allocation));
    SAY(cu.cuGraphAddMemFreeNode(&node, graph, nullptr, 0, allocation.address));
    GraphNode what{};
    what.type = graph_node_allocates;
    what.allocation = allocation;
    SAY(cu.cuGraphAddNode(&node, graph, nullptr, 0, &what));
    what.freed = what.allocation.address;
    what.type = graph_node_frees;
    SAY(cu.cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &what));
    what.type = 5;  // an empty array
    SAY(cu.cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &what));
    SAY(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
    SAY(cu.cuGraphLaunch(executable, nullptr));
    for (int i = 0; i < 40; ++i) cu.cuGraphLaunch_ptsz(executable, nullptr);
    SAY(cu.cuDeviceGraphMemTrim(0));
}

// Pools and graphs of two devices, in turns.
inline void in_turns() {
    own_context();
    Handle made[2] = {}, executable[2] = {}, graph = nullptr, node = nullptr;
    DevicePointer address = 0;
    for (int device : {0, 1}) {
        PoolProperties properties{};
        properties.location = {location_device, device};
        SAY(cu.cuMemPoolCreate(&made[device], &properties));
        AllocationNode allocation{};
        allocation.properties.location = properties.location;
        allocation.size = 40 * mib;
        SAY(cu.cuGraphCreate(&graph, 0));
        SAY(cu.cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &allocation));
        SAY(cu.cuGraphInstantiateWithFlags(&executable[device], graph, 0));
    }
    for (int i = 0; i < 400; ++i) {
        cu.cuMemAllocFromPoolAsync(&address, 400'000, made[i % 2], nullptr);
        cu.cuGraphLaunch(executable[i % 2], nullptr);
    }
    SAY(cu.cuDeviceGraphMemTrim(1));
    SAY(cu.cuGraphLaunch(executable[1], nullptr));
}

inline void arrays() {
    own_context();
    Handle array[4] = {};
    const ArrayShape plane{100, 50, 0x20, 4};
    const Array3DShape cube{64, 32, 16, 0x10, 2, 0};
    SAY(cu.cuArrayCreate_v2(&array[0], &plane));
    SAY(cu.cuArray3DCreate_v2(&array[1], &cube));
    SAY(cu.cuMipmappedArrayCreate(&array[2], &cube, 4));
    SAY(cu.cuArrayDestroy(array[0]));
    SAY(cu.cuMipmappedArrayDestroy(array[2]));
    SAY(cu.cuMemMapArrayAsync(nullptr, 0, nullptr));
    SAY(cu.cuMemMapArrayAsync_ptsz(nullptr, 0, nullptr));
}

inline void others() {
    own_context();
    DevicePointer own = 0, opened = 0, mapped = 0;
    IpcHandle shared{};
    SAY(cu.cuMemAlloc_v2(&own, 9 * mib));
    SAY(cu.cuIpcGetMemHandle(&shared, own));
    SAY(cu.cuIpcOpenMemHandle_v2(&opened, shared, 1));
    SAY(cu.cuIpcCloseMemHandle(opened));
    SAY(cu.cuIpcOpenMemHandle(&opened, shared, 1));
    ExternalMemory what{};
    what.size = 16 * mib;
    Handle memory = nullptr, array = nullptr;
    SAY(cu.cuImportExternalMemory(&memory, &what));
    const ExternalBuffer buffer{0, 4 * mib, 0, {}};
    SAY(cu.cuExternalMemoryGetMappedBuffer(&mapped, memory, &buffer));
    SAY(cu.cuExternalMemoryGetMappedMipmappedArray(&array, memory, nullptr));
    SAY(cu.cuMemFree_v2(mapped));
    SAY(cu.cuMipmappedArrayDestroy(array));
    SAY(cu.cuDestroyExternalMemory(memory));
    PhysicalHandle object = 0;
    const MulticastProperties properties{2, 32 * mib, 0, 0};
    SAY(cu.cuMulticastCreate(&object, &properties));
    SAY(cu.cuMulticastBindMem(object, 0, 0, 0, 0, 0));
    SAY(cu.cuMulticastBindAddr(object, 0, 0, 0, 0));
    SAY(cu.cuMulticastUnbind(object, 0, 0, 0));
    SAY(cu.cuMemRelease(object));
}

inline void contexts() {
    Handle primary = nullptr, own = nullptr, green = nullptr;
    DevicePointer address = 0;
    void* pages = nullptr;
    SAY(cu.cuDevicePrimaryCtxRetain(&primary, 0));
    SAY(cu.cuDevicePrimaryCtxRetain(&primary, 0));
    SAY(cu.cuCtxSetCurrent(primary));
    SAY(cu.cuMemAlloc_v2(&address, 4 * mib));
    SAY(cu.cuCtxCreate_v4(&own, nullptr, 0, 0));
    SAY(cu.cuMemAlloc_v2(&address, 5 * mib));
    SAY(cu.cuMemAllocHost_v2(&pages, 6 * mib));
    SAY(cu.cuMemAllocAsync(&address, 7 * mib, nullptr));  // does not go with the context
    SAY(cu.cuCtxDestroy_v2(own));
    SAY(cu.cuDevicePrimaryCtxReset_v2(0));
    SAY(cu.cuDevicePrimaryCtxRelease_v2(0));
    SAY(cu.cuDevicePrimaryCtxRelease_v2(0));
    SAY(cu.cuDevicePrimaryCtxRetain(&primary, 1));
    SAY(cu.cuDevicePrimaryCtxReset(1));
    SAY(cu.cuDevicePrimaryCtxRelease(1));
    SAY(cu.cuCtxCreate(&own, 0, 1));
    SAY(cu.cuGreenCtxCreate(&green, nullptr, 1, 0));
    SAY(cu.cuGreenCtxDestroy(green));
    SAY(cu.cuCtxDestroy(own));
    SAY(cu.cuCtxCreate_v3(&own, nullptr, 0, 0, 1));
}

inline void modules() {
    own_context();
    Handle module[6] = {};
    SAY(cu.cuModuleLoad(&module[0], ""));
    SAY(cu.cuModuleLoadData(&module[1], ""));
    SAY(cu.cuModuleLoadDataEx(&module[2], "", 0, nullptr, nullptr));
    SAY(cu.cuModuleLoadFatBinary(&module[3], ""));
    SAY(cu.cuLibraryLoadData(&module[4], "", nullptr, nullptr, 0, nullptr, nullptr, 0));
    SAY(cu.cuLibraryLoadFromFile(&module[5], "", nullptr, nullptr, 0, nullptr, nullptr, 0));
    SAY(cu.cuModuleUnload(module[0]));
    SAY(cu.cuLibraryUnload(module[4]));
    SAY(cu.cuCtxSetLimit(2, 8 * mib));
}

inline void refused() {
    own_context();
    DevicePointer address = 0;
    PhysicalHandle handle = 0;
    AllocationProperties properties{};
    properties.location = {location_device, 1};
    SAY(cu.cuMemAlloc_v2(&address, 100 * mib));
    SAY(cu.cuMemAlloc_v2(&address, 5000 * mib));
    SAY(cu.cuMemCreate(&handle, 6000 * mib, &properties, 0));
    SAY(cu.cuMemAllocAsync(&address, 7000 * mib, nullptr));
    SAY(cu.cuMemAlloc_v2(&address, 0));  // an error, but not for lack of memory
}

// Memory of the host, managed memory and addresses are refused, and last a context's heap. None of
// them is a device's but the last.
inline void refused_on_host() {
    own_context();
    DevicePointer address = 0;
    PhysicalHandle handle = 0;
    void* host = nullptr;
    AllocationProperties properties{};
    properties.location = {2, 0};
    SAY(cu.cuMemAlloc_v2(&address, 100 * mib));
    SAY(cu.cuMemHostAlloc(&host, 10 * mib, 0));
    SAY(cu.cuMemAllocManaged(&address, 3 * mib, 1));
    fail("cuMemHostAlloc", 2, 1);
    SAY(cu.cuMemHostAlloc(&host, 8 * mib, 0));
    fail("cuMemCreate", 2, 1);
    SAY(cu.cuMemCreate(&handle, 4 * mib, &properties, 0));
    fail("cuMemAllocManaged", 2, 1);
    SAY(cu.cuMemAllocManaged(&address, 2 * mib, 1));
}

inline void refused_limit() {
    own_context();
    for (int limit : {0, 1, 2}) {
        fail("cuCtxSetLimit", 2, 1);
        SAY(cu.cuCtxSetLimit(limit, 100 * mib));
    }
}

inline void failed_free() {
    own_context();
    DevicePointer address = 0;
    SAY(cu.cuMemAlloc_v2(&address, mib));
    fail("cuMemFree_v2", 700, 2);
    SAY(cu.cuMemFree_v2(address));
    SAY(cu.cuMemFree_v2(address));
    SAY(cu.cuMemFree_v2(address + 512));
}

// Leaves the driver by a jump, out of a signal handler. What comes later is recorded all the same.
inline sigjmp_buf before_the_fault;

inline void jumped_out() {
    own_context();
    DevicePointer address = 0;
    signal(SIGSEGV, [](int) { siglongjmp(before_the_fault, 1); });
    if (sigsetjmp(before_the_fault, 1) == 0) {
        cu.cuMemPoolImportPointer(&address, nullptr, nullptr);  // the stand-in reads this pointer
    } else {
        printf("jumped out\n");
    }
    SAY(cu.cuMemAlloc_v2(&address, mib));
    SAY(cu.cuMemFree_v2(address));
}

// Two threads take and give the same addresses: each receives what the other has just given back.
inline void race() {
    Handle const context = own_context();
    linger_after_free(50);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([context] {
            cu.cuCtxSetCurrent(context);
            for (int i = 0; i < 300; ++i) {
                DevicePointer address = 0;
                if (cu.cuMemAlloc_v2(&address, 4096) != 0) abort();
                if (cu.cuMemFree_v2(address) != 0) abort();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

struct Story {
    const char* name;
    void (*tell)();
};
inline constexpr Story stories[] = {
    {"plain", plain},
    {"pinned", pinned},
    {"virtual", virtual_memory},
    {"pools", pools},
    {"captured", captured},
    {"graphs", graphs},
    {"arrays", arrays},
    {"others", others},
    {"contexts", contexts},
    {"modules", modules},
    {"refused", refused},
    {"failed_free", failed_free},
    {"in_turns", in_turns},
    {"refused_on_host", refused_on_host},
    {"refused_limit", refused_limit},
    {"race", race},
    {"jumped_out", jumped_out},
};

inline int tell(const char* name) {
    SAY(cu.cuInit(0));
    for (const Story& story : stories) {
        if (strcmp(story.name, name) == 0) story.tell();
    }
    printf("device 0: %llu, device 1: %llu, pinned: %llu, managed: %llu\n", device_bytes(0),
           device_bytes(1), count("double_pinned_bytes"), count("double_managed_bytes"));
    return 0;
}

}  // namespace gpu
