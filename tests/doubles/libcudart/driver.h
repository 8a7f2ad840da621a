// SPDX-License-Identifier: Apache-2.0
//
// The way from the runtime's double to the driver, as the real runtime goes it: at the first call
// dlopen of libcuda.so.1, dlsym of cuGetProcAddress_v2, cuInit, and then every function through
// cuGetProcAddress. Never by the names that the driver exports.
#pragma once

#include "tests/doubles/libcudart/types.h"

namespace cudart_double {

// What this driver does not have is a function that says so.
struct Driver {
#define CUDART_DOUBLE_DRIVER(name, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
#include "tests/doubles/libcudart/driver.def"
    ProcAddress* get_proc_address = nullptr;
};

// The driver with this thread's device current in it. Null: there is none; `failure` says why.
const Driver* driver(cudaError_t& failure);

// The same without a device: for what may be asked before.
const Driver* driver_without_device(cudaError_t& failure);

// What a call of the runtime comes to: `call(driver)`, or why there is no driver.
template <class Call>
cudaError_t with_driver(Call&& call) {
    cudaError_t failure = cudaSuccess;
    const Driver* const found = driver(failure);
    return note_error(found == nullptr ? failure : call(*found));
}

// Of the calling thread.
int current_device();
void set_current_device(int device);

}  // namespace cudart_double
