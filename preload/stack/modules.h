// SPDX-License-Identifier: Apache-2.0
//
// Loaded objects with code in stacks. They are found by address, never by watching dlopen:
// interposing it would change where the program's libraries are looked for.
//
// A module is written to the dump when it is first met, with path and build id, so the analyzer
// needs nothing else from this process. When the program unloads libraries,
// forget_unloaded_modules() drops the modules that are gone, because another library may come to
// the same addresses. An observer is told of each module that is met for the first time, because
// the module may contain a Python interpreter or autograd.
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

// Returns the id of the module that contains `address`, or 0. May write a Module record to the
// lane.
uint32_t find_module(Lane& lane, uint64_t address);

// True if the module that is known at `address` went without a dlclose() and another module came.
// It is called for new return addresses, so that find_module() need not check this for each node.
bool another_module_is_at(uint64_t address);

// Calls gone(begin, end) for each known module that is no longer loaded, and forgets it.
void forget_unloaded_modules(void (*gone)(uint64_t begin, uint64_t end));

// Forgets everything. For a forked child, which has a dump without modules.
void forget_all_modules();

}  // namespace memtrace::preload
