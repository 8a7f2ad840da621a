// SPDX-License-Identifier: Apache-2.0
//
// The way from the runtime's double to the driver, the same as the real runtime's. The first call
// makes a dlopen of libcuda.so.1, a dlsym of cuGetProcAddress_v2, and cuInit; then every function
// comes through cuGetProcAddress. It never uses the names that the driver exports.
#pragma once

#include "tests/doubles/libcudart/types.h"

namespace cudart_double {

// A function that this driver does not have is a function that returns an error.
struct Driver {
#define CUDART_DOUBLE_DRIVER(name, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
#include "tests/doubles/libcudart/driver.def"
    ProcAddress* get_proc_address = nullptr;
};

// Returns the driver with this thread's device current in it. Null if there is no driver; `failure`
// has the reason.
const Driver* driver(cudaError_t& failure);

// The same without a device, for calls that may come before.
const Driver* driver_without_device(cudaError_t& failure);

// The result of a call of the runtime: `call(driver)`, or the reason why there is no driver.
template <class Call>
cudaError_t with_driver(Call&& call) {
    cudaError_t failure = cudaSuccess;
    const Driver* const found = driver(failure);
    return note_error(found == nullptr ? failure : call(*found));
}

// The calling thread's device.
int current_device();
void set_current_device(int device);

}  // namespace cudart_double
