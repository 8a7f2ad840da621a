// SPDX-License-Identifier: Apache-2.0
//
// Converts linker names to source names: C++ (Itanium) and Rust, in the old and the new mangling.
#pragma once

#include <string>

namespace memtrace::analyzer {

// Returns the full readable name, or the input itself if it is not mangled.
std::string demangle(const std::string& name);

}  // namespace memtrace::analyzer
