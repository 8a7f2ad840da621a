// SPDX-License-Identifier: Apache-2.0
//
// The driver underneath: libcuda.so.1, if the process has loaded it. It is never loaded by us, and
// once found it stays loaded, so that what was found in it stays there.
//
// Its functions are found by the dlsym behind ours: where another library is preloaded behind us
// that replaces functions of the driver, its functions are the ones underneath.
#pragma once

#include <atomic>

#include "preload/cuda_names.h"
#include "preload/cuda_types.h"

namespace memtrace::preload::cuda {

// What we ask the driver ourselves. nullptr: an older driver that lacks it.
struct Questions {
#define MEMTRACE_CUDA_QUESTION(name, parameters) Result (*name) parameters = nullptr;
#include "preload/cuda_entries.def"
};
extern Questions questions;

// Whether the process has loaded it; leaves it as it is. It may not be constructed yet.
bool driver_is_loaded();

// False: there is no driver in this process. Asks the loader, but not again once it was found.
bool find_driver();

// The function of the driver; nullptr: it has none of this name, or there is no driver.
void* real_entry(Entry entry);

// A function that the driver has and does not export.
void set_real_entry(Entry entry, void* function);

// Whether the driver exports a function of this name.
bool driver_exports(const char* name);

}  // namespace memtrace::preload::cuda
