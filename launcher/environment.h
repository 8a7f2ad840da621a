// SPDX-License-Identifier: Apache-2.0
//
// Where the shim is, and what the program's environment becomes: the three variables that a user
// would set by hand.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::launcher {

// MEMTRACE_LIBRARY, or libmemtrace.so beside this program, or in the folder for libraries of the
// same installation. Throws Error with a sentence.
std::string find_shim();

// LD_PRELOAD with the shim in front of what is there. Another libmemtrace.so goes: one process
// cannot be recorded twice.
std::string preload_list(std::string_view present, const std::string& shim);

// Whether a list of LD_PRELOAD names the shim.
bool names_shim(std::string_view list);

}  // namespace memtrace::launcher
