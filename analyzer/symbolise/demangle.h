// SPDX-License-Identifier: Apache-2.0
//
// Linker names to source names: C++ (Itanium) and Rust, old and new mangling.
#pragma once

#include <string>

namespace memtrace::analyzer {

// The full readable name; the input itself if it is not mangled.
std::string demangle(const std::string& name);

}  // namespace memtrace::analyzer
