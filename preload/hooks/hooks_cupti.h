// SPDX-License-Identifier: Apache-2.0
//
// The hooks of CUPTI's functions, for dlsym, which hands them out.
#pragma once

namespace memtrace::preload::cupti {

// nullptr: we have no hook of this name.
void* hook_named(const char* name);

}  // namespace memtrace::preload::cupti
