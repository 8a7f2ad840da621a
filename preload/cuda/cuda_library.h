// SPDX-License-Identifier: Apache-2.0
//
// The real driver: libcuda.so.1, if the process has loaded it. The shim never loads it.
//
//   * A program linked to the driver reaches a hook first. The real functions are then the first
//     definitions behind the shim, found in the symbol tables of the loaded objects. The loader is
//     not called, because a thread that waits for a lock of this thread may hold the loader's lock.
//   * A program that calls dlsym() enters the loader anyway. The real functions are then what the
//     next dlsym finds. So another library that replaces functions of the driver and is preloaded
//     behind the shim is still called. From then on the driver stays loaded.
#pragma once

#include <atomic>

#include "preload/cuda/cuda_entry_names.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Queries that the shim sends to the driver. nullptr in an older driver that lacks the function.
struct Questions {
#define MEMTRACE_CUDA_QUERY(name, parameters) Result(*name) parameters = nullptr;
#include "preload/cuda/cuda_entries.def"
};
extern Questions queries;

// True if the process has loaded the driver, which may not be constructed yet. Does not load it.
bool driver_is_loaded();

// Finds the driver through the loader, once. Returns false if the process has no driver.
bool find_driver();

// Returns the real function, or nullptr if there is no such function or no driver. Takes no lock.
void* real_entry(Entry entry);

// Called after an unload. Functions of a driver that the shim holds stay valid; all others are
// forgotten.
void forget_what_is_not_held();

// Sets a function that the driver has but does not export.
void set_real_entry(Entry entry, void* function);

// True if the driver exports a function with this name.
bool driver_exports(const char* name);

}  // namespace memtrace::preload::cuda
