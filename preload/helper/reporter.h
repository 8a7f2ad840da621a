// SPDX-License-Identifier: Apache-2.0
//
// memtrace-report as a helper of the shim: where it is, and what every process does that becomes
// it.
#pragma once

#include <initializer_list>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// Remembers the folder of the shim. Called once, at the start. It calls the loader.
void remember_shim_folder();

// Finds out where memtrace-report is: beside the shim, or in the bin folder of its installation.
// Empty if there is none. (A path is too large for the stack of some threads.)
void find_reporter(Path& reporter);
// Returns why there was none.
const char* why_no_reporter();

// Returns why this thread must not start any process, a clause; nullptr if it may. If it has moved
// its children to another PID namespace, the first of them is process 1 there, and when that ends,
// the program itself can have no children any more.
const char* why_no_child();

// The following are for a child process, before it runs another program.

// Closes all descriptors but these. They become 3, 4 and so on, and 0 to 2 lead nowhere.
void keep_descriptors(std::initializer_list<int> kept);

// Becomes the reporter. `words` are its arguments; the first is its path, the last is nullptr. Ends
// the process if that fails.
[[noreturn]] void run_reporter(const char* const* words);

}  // namespace memtrace::preload
