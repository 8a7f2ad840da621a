// SPDX-License-Identifier: Apache-2.0
//
// The hooks of CUPTI's functions, for the hook of dlsym.
#pragma once

namespace memtrace::preload::cupti {

// Returns the hook of the function `name`, or nullptr.
void* hook_named(const char* name);

}  // namespace memtrace::preload::cupti
