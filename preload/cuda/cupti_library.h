// SPDX-License-Identifier: Apache-2.0
//
// CUPTI, if this machine has it. A copy that the process has already loaded takes precedence,
// because two copies in one process do not work. If PyTorch contains a copy, only that copy is
// used.
//
// The search loads the library, whose constructors may call anything. So it runs only where the
// program's own calls could do the same: at the end of cuInit(), or of another call of the driver.
#pragma once

#include "preload/base/fixed_text.h"
#include "preload/cuda/cupti_types.h"

namespace memtrace::preload::cupti {

struct Functions {
#define MEMTRACE_CUPTI_FUNCTION(name, parameters) Result(*name) parameters = nullptr;
#include "preload/cuda/cupti_functions.def"
};

using Why = FixedText<300>;

// Returns false if no usable CUPTI was found; `why` then holds the reason. `newest` is the driver's
// major version of CUDA, for example 13, or 0 if not known. A newer CUPTI would not work with the
// driver.
bool find_cupti(Functions& functions, unsigned newest, Why& why);

// Returns a function of the copy that the process has loaded, or nullptr. Loads nothing.
void* find_in_loaded_cupti(const char* name);

}  // namespace memtrace::preload::cupti
