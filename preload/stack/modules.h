// SPDX-License-Identifier: Apache-2.0
//
// Loaded objects whose code occurs in stacks, found by asking for an address, never by watching
// dlopen: interposing it would change where the program's libraries are looked for.
//
// A module is written to the dump when it is first met, with path and build id, so the analyzer
// needs nothing else of this process. When the program unloads libraries, forget_unloaded_modules()
// drops what is gone: another library may come to the same addresses. A module that holds a Python
// interpreter is where Python is found, if it has not been before (python_invalidation.h).
#pragma once

#include <cstdint>

namespace memtrace::preload {

class Lane;

// The id of the module that holds `address`, 0 if none does. May write a Module record to the lane.
uint32_t find_module(Lane& lane, uint64_t address);

// Whether the module that is known at `address` went without a dlclose(), and another came. Asked
// of return addresses that are new, so that find_module() need not ask, for each node.
bool another_module_is_at(uint64_t address);

// Calls gone(begin, end) for each known module that is no longer loaded, and forgets it.
void forget_unloaded_modules(void (*gone)(uint64_t begin, uint64_t end));

// Forgets everything, for a forked child: its dump knows no modules yet.
void forget_all_modules();

}  // namespace memtrace::preload
