// SPDX-License-Identifier: Apache-2.0
//
// Finds the shim, and makes the value of LD_PRELOAD: one of the three variables that a user would
// otherwise set by hand. run.cpp sets them in the environment of the program.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::launcher {

// Returns the folder of this program, by /proc, or, where that is not mounted, by the path with
// which it was started. Empty if nobody knows.
std::string own_folder();

// Returns the path of the shim: MEMTRACE_LIBRARY, or libmemtrace.so beside this program or in the
// library folder of the same installation. Throws Error with a sentence if there is none.
std::string find_shim();

// Returns LD_PRELOAD with the shim in front of the present entries. Any other libmemtrace.so is
// removed, because one process cannot be recorded twice.
std::string preload_list(std::string_view present, const std::string& shim);

// Returns LD_PRELOAD without the shim.
std::string list_without_shim(std::string_view present);

// True if a value of LD_PRELOAD names the shim.
bool names_shim(std::string_view list);

}  // namespace memtrace::launcher
