// SPDX-License-Identifier: Apache-2.0
//
// The driver underneath: libcuda.so.1, if the process has loaded it. It is never loaded by us.
//
//   * A program that is linked to it comes to a hook first. Its functions are then the first ones
//     behind us, found in the objects' own tables: the loader's lock may be held by a thread that
//     waits for what this one holds.
//   * A program that asks dlsym() has the loader do that anyway. Its functions are what the dlsym
//     behind ours finds, so that another library that replaces functions of the driver, and is
//     preloaded behind us, is still the one that is called. From then on the driver stays loaded.
#pragma once

#include <atomic>

#include "preload/cuda/cuda_entry_names.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// What we ask the driver ourselves. nullptr: an older driver that lacks it.
struct Questions {
#define MEMTRACE_CUDA_QUESTION(name, parameters) Result(*name) parameters = nullptr;
#include "preload/cuda/cuda_entries.def"
};
extern Questions queries;

// Whether the process has loaded it; leaves it as it is. It may not be constructed yet.
bool driver_is_loaded();

// Asks the loader, once. False: there is no driver in this process.
bool find_driver();

// The function underneath; nullptr: there is none of this name, or no driver. Asks no lock.
void* real_entry(Entry entry);

// Something was unloaded. What the loader holds for us is still there, and nothing else is sure.
void forget_what_is_not_held();

// A function that the driver has and does not export.
void set_real_entry(Entry entry, void* function);

// Whether the driver exports a function of this name.
bool driver_exports(const char* name);

}  // namespace memtrace::preload::cuda
