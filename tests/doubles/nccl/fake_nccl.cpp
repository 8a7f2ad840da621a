// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/nccl/fake_nccl.h"

#include <cstdint>

#define FAKE_NCCL extern "C" __attribute__((visibility("default")))

extern "C" {
// Functions of the runtime inside this library.
int cudaMalloc(void** result, size_t size);
int cudaFree(void* address);
int cudaGetDriverEntryPoint(const char* name, void** function, uint64_t flags, int* status);
}

namespace {

// CUmemAllocationProp: pinned memory of device 0.
struct MemoryProperties {
    int type = 1;
    int handle_types = 0;
    int location_type = 1;
    int location = 0;
    void* meta_data = nullptr;
    char flags[8] = {};
};

struct Communicator {
    void* plain;
    uint64_t address;
    size_t physical;
};

// Returns a function of the driver, by its name.
template <class... Parameters>
int call_driver(const char* name, Parameters... parameters) {
    void* function = nullptr;
    int status = 0;
    if (cudaGetDriverEntryPoint(name, &function, 0, &status) != 0 || function == nullptr) return -1;
    return reinterpret_cast<int (*)(Parameters...)>(function)(parameters...);
}

}  // namespace

FAKE_NCCL void* fake_nccl_open(size_t plain, size_t physical) {
    auto* const communicator = new Communicator{nullptr, 0, physical};
    const MemoryProperties properties;
    uint64_t handle = 0;
    const bool is_made =
        cudaMalloc(&communicator->plain, plain) == 0 &&
        call_driver<uint64_t*, size_t, size_t, uint64_t, uint64_t>(
            "cuMemAddressReserve", &communicator->address, physical, 0, 0, 0) == 0 &&
        call_driver<uint64_t*, size_t, const MemoryProperties*, uint64_t>(
            "cuMemCreate", &handle, physical, &properties, 0) == 0 &&
        call_driver<uint64_t, size_t, size_t, uint64_t, uint64_t>("cuMemMap", communicator->address,
                                                                  physical, 0, handle, 0) == 0 &&
        call_driver<uint64_t>("cuMemRelease", handle) == 0;
    if (is_made) return communicator;
    delete communicator;
    return nullptr;
}

FAKE_NCCL void fake_nccl_close(void* opened) {
    auto* const communicator = static_cast<Communicator*>(opened);
    call_driver<uint64_t, size_t>("cuMemUnmap", communicator->address, communicator->physical);
    call_driver<uint64_t, size_t>("cuMemAddressFree", communicator->address,
                                  communicator->physical);
    cudaFree(communicator->plain);
    delete communicator;
}
