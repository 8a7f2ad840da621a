// SPDX-License-Identifier: Apache-2.0
//
// Loaded objects whose code occurs in stacks, found by asking for an address, never by watching
// dlopen: interposing it would change where the program's libraries are looked for.
//
// A module is written to the dump when it is first met, with path and build id, so the analyzer
// needs nothing else of this process. When the program unloads libraries, forget_unloaded_modules()
// drops what is gone: another library may come to the same addresses. An observer is told of each
// module that is met for the first time, because it may contain a Python interpreter or autograd.
#pragma once

#include <link.h>

#include <cstdint>

namespace memtrace::preload {

class Lane;

// Callbacks of the session, set before the recording begins. Both run while an event is recorded.
struct ModuleObserver {
    // A module was met for the first time in this dump, as `module`. `image` has no headers if its
    // file could not be read in memory.
    void (*first_met)(Lane& lane, uint32_t module, const dl_phdr_info& image, uint64_t begin,
                      uint64_t end) = nullptr;
    // A known module was unloaded without dlclose(), and another module is in its place.
    void (*missed_unload)() = nullptr;
};
void set_module_observer(const ModuleObserver& observer);

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
