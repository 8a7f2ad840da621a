// SPDX-License-Identifier: Apache-2.0
//
// How users of NVTX come to have us as their tool. At its first call a copy of NVTX asks for the
// environment variable NVTX_INJECTION64_PATH, loads the library that it names, and calls
// InitializeInjectionNvtx2() in it.
//
// We set no variable: children would inherit it, with a path to a library that they were not
// started with, and the program would see it. Instead the question itself is answered, when the
// variable is not set. Who looks into the environment finds it as it was.
#pragma once

#include "preload/nvtx/nvtx_types.h"

namespace memtrace::preload::nvtx {

// What getenv() is to answer to whoever asks for this name; `value`: what the environment says.
char* injection_path(const char* name, char* value);

// Whether a name may be one that injection_path() has an answer to.
inline bool is_about_nvtx(const char* name) {
    return name[0] == 'N' && name[1] == 'V' && name[2] == 'T' && name[3] == 'X';
}

}  // namespace memtrace::preload::nvtx
