// SPDX-License-Identifier: Apache-2.0
//
// How copies of NVTX get the shim as their tool. At its first call, a copy of NVTX reads the
// environment variable NVTX_INJECTION64_PATH, loads the library that it names, and calls
// InitializeInjectionNvtx2() in that library.
//
// The shim does not set the variable. Children would inherit it, with a path to a library that they
// were not started with, and the program would see it. Instead, the hook of getenv() supplies the
// value if the variable is not set. The environment itself is unchanged.
#pragma once

#include "preload/nvtx/nvtx_types.h"

namespace memtrace::preload::nvtx {

// Returns the result of getenv() for this name. `value` is the value in the environment.
char* injection_path(const char* name, char* value);

// True if injection_path() may return something else than `value` for this name.
inline bool is_about_nvtx(const char* name) {
    return name[0] == 'N' && name[1] == 'V' && name[2] == 'T' && name[3] == 'X';
}

}  // namespace memtrace::preload::nvtx
