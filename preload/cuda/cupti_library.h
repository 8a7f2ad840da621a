// SPDX-License-Identifier: Apache-2.0
//
// CUPTI, if this machine has it. A copy that the process has loaded already comes first: two copies
// in one process do not work. PyTorch may contain one; then it is that or none.
//
// Looking loads the library, which may call anything. So only where the program's own calls could
// do that as well: at the end of cuInit(), or of another call of the driver.
#pragma once

#include "preload/base/fixed_text.h"
#include "preload/cuda/cupti_types.h"

namespace memtrace::preload::cupti {

struct Functions {
#define MEMTRACE_CUPTI_FUNCTION(name, parameters) Result(*name) parameters = nullptr;
#include "preload/cuda/cupti_functions.def"
};

using Why = FixedText<300>;

// False: there is none that can be used; `why` says so. `newest` is the version of CUDA that the
// driver speaks, as in 13; 0: not known. A newer CUPTI would not work with it.
bool find_cupti(Functions& functions, unsigned newest, Why& why);

// A function of the copy that the process has loaded, if it has one; loads nothing.
void* find_in_loaded_cupti(const char* name);

}  // namespace memtrace::preload::cupti
