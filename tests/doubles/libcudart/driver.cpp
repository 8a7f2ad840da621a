// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/libcudart/driver.h"

#include <dlfcn.h>

#include <array>
#include <mutex>

namespace cudart_double {
namespace {

constexpr int devices_max = 16;

std::once_flag started;
Driver the_driver;
cudaError_t start_failure = cudaErrorInsufficientDriver;

std::mutex contexts_lock;
std::array<CUcontext, devices_max> primary_contexts{};

thread_local int device_of_thread = 0;
thread_local int device_in_driver = -1;
thread_local cudaError_t last_error = cudaSuccess;

// Stands for a function that this driver does not have.
CUresult not_found() { return cudaErrorSymbolNotFound; }

template <class Function>
void find(Function*& function, const char* name) {
    void* found = nullptr;
    int status = 0;
    const CUresult result =
        the_driver.get_proc_address(name, &found, CUDART_DOUBLE_VERSION, 0, &status);
    if (result != 0 || found == nullptr) found = reinterpret_cast<void*>(&not_found);
    function = reinterpret_cast<Function*>(found);
}

void start() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) return;
    the_driver.get_proc_address =
        reinterpret_cast<ProcAddress*>(dlsym(library, "cuGetProcAddress_v2"));
    if (the_driver.get_proc_address == nullptr) return;
#define CUDART_DOUBLE_DRIVER(name, ...) find(the_driver.name, #name);
#include "tests/doubles/libcudart/driver.def"
    start_failure = the_driver.cuInit(0);
}

// Makes the device's context current, which the runtime retains at its first use and keeps.
cudaError_t make_current(int device) {
    const std::lock_guard guard(contexts_lock);
    CUcontext& context = primary_contexts[device];
    if (context == nullptr) {
        CUdevice handle = 0;
        if (const CUresult result = the_driver.cuDeviceGet(&handle, device)) return result;
        if (const CUresult result = the_driver.cuDevicePrimaryCtxRetain(&context, handle)) {
            context = nullptr;
            return result;
        }
    }
    const CUresult result = the_driver.cuCtxSetCurrent(context);
    if (result == 0) device_in_driver = device;
    return result;
}

}  // namespace

cudaError_t note_error(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
    return error;
}

const Driver* driver_without_device(cudaError_t& failure) {
    std::call_once(started, start);
    failure = start_failure;
    return failure == cudaSuccess ? &the_driver : nullptr;
}

const Driver* driver(cudaError_t& failure) {
    const Driver* const found = driver_without_device(failure);
    if (found == nullptr) return nullptr;
    if (device_in_driver != device_of_thread) failure = make_current(device_of_thread);
    return failure == cudaSuccess ? found : nullptr;
}

int current_device() { return device_of_thread; }
void set_current_device(int device) { device_of_thread = device; }

}  // namespace cudart_double

using namespace cudart_double;

CUDART_DOUBLE cudaError_t cudaGetLastError() {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

CUDART_DOUBLE cudaError_t cudaPeekAtLastError() { return last_error; }

CUDART_DOUBLE cudaError_t cudaDeviceReset() {
    return with_driver([](const Driver& driver) {
        const std::lock_guard guard(contexts_lock);
        CUdevice handle = 0;
        if (const CUresult result = driver.cuDeviceGet(&handle, device_of_thread)) return result;
        primary_contexts[device_of_thread] = nullptr;
        device_in_driver = -1;
        return driver.cuDevicePrimaryCtxReset(handle);
    });
}
