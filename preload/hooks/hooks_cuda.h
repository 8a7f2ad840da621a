// SPDX-License-Identifier: Apache-2.0
//
// The hook of each function of CUDA's driver, for the hooks of dlsym and cuGetProcAddress.
#pragma once

#include "preload/cuda/cuda_entry_names.h"

namespace memtrace::preload::cuda {

void* hook_of(Entry entry);

}  // namespace memtrace::preload::cuda
