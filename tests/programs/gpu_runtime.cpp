// run: manual libraries=double-libcudart-13
// A program that is linked to CUDA's shared runtime library and calls each function of it that
// memtrace knows. Prints whether each returned what it should.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "preload/cuda/cudart_types.h"

namespace gpu {
using namespace memtrace::preload::cuda;
extern "C" {
#define MEMTRACE_CUDART_ENTRY(spelling, api, like, stream, parameters, arguments, asked) \
    Result spelling parameters;
#include "preload/cuda/cudart_entries.def"
Result cudaIpcGetMemHandle(IpcHandle* shared, void* address);
Result cudaSetDevice(Device device);
}
}  // namespace gpu

using namespace gpu;

static void check(const char* what, Result result) {
    if (result != success) printf("%s: %d\n", what, result);
}
#define CHECK(call) check(#call, call)

static void plain() {
    void* address = nullptr;
    CHECK(cudaMalloc(&address, 1000));
    CHECK(cudaFree(address));
    CHECK(cudaFree(nullptr));
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&address, &pitch, 100, 20));
    CHECK(cudaFree(address));
    Pitched block{};
    CHECK(cudaMalloc3D(&block, {100, 20, 3}));
    CHECK(cudaFree(block.address));
    CHECK(cudaMallocManaged(&address, 5000, 1));
    CHECK(cudaFree(address));
    check("too much", cudaMalloc(&address, size_t{1} << 40) == out_of_memory ? success : -1);
}

static void pinned() {
    void* address = nullptr;
    CHECK(cudaMallocHost(&address, 4096));
    CHECK(cudaFreeHost(address));
    CHECK(cudaHostAlloc(&address, 8192, 0));
    CHECK(cudaFreeHost(address));
    static char own[4096];
    CHECK(cudaHostRegister(own, sizeof own, 0));
    CHECK(cudaHostUnregister(own));
}

static void pools() {
    void* address = nullptr;
    CHECK(cudaMallocAsync(&address, 3000, nullptr));
    CHECK(cudaFreeAsync(address, nullptr));
    CHECK(cudaMallocAsync_ptsz(&address, 3001, nullptr));
    CHECK(cudaFreeAsync_ptsz(address, nullptr));
    PoolProperties properties{};
    properties.type = 1;
    properties.location = {location_device, 0};
    Handle pool = nullptr;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    CHECK(cudaMallocFromPoolAsync(&address, 70000, pool, nullptr));
    CHECK(cudaFreeAsync(address, nullptr));
    CHECK(cudaMallocFromPoolAsync_ptsz(&address, 70001, pool, nullptr));
    CHECK(cudaFree(address));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolDestroy(pool));
}

static void arrays() {
    Handle array = nullptr;
    const ChannelBits two_floats{{32, 32, 0, 0}, 2};
    CHECK(cudaMallocArray(&array, &two_floats, 64, 16, 0));
    CHECK(cudaFreeArray(array));
    const ChannelBits bytes{{8, 0, 0, 0}, 1};
    CHECK(cudaMalloc3DArray(&array, &bytes, {30, 20, 10}, 0));
    CHECK(cudaFreeArray(array));
}

static void others() {
    void* address = nullptr;
    void* opened = nullptr;
    IpcHandle shared{};
    CHECK(cudaMalloc(&address, 1 << 20));
    CHECK(cudaIpcGetMemHandle(&shared, address));
    CHECK(cudaIpcOpenMemHandle(&opened, shared, 1));
    CHECK(cudaIpcCloseMemHandle(opened));
    CHECK(cudaFree(address));
}

// The rest goes with the device's context.
static void reset() {
    void* address = nullptr;
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&address, 123456));
    CHECK(cudaDeviceReset());
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&address, 777));  // still alive at the end
}

int main() {
    plain();
    pinned();
    pools();
    arrays();
    others();
    reset();
    errno = 77;
    void* address = nullptr;
    check("refused", cudaMalloc(&address, size_t{1} << 40) == out_of_memory ? success : -1);
    printf("errno %d\n", errno);
    void* const library = dlopen("libcudart.so.13", RTLD_NOW);
    printf("dlsym %s\n", dlsym(library, "cudaMalloc") != nullptr ? "finds it" : "finds nothing");
    return 0;
}
