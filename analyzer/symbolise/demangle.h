// SPDX-License-Identifier: Apache-2.0
//
// Converts linker names to source names: C++ (Itanium) and Rust, in the old and the new mangling.
#pragma once

#include <string>

namespace memtrace::analyzer {

// Returns the full readable name, or the input itself if it is not mangled.
std::string demangle(const std::string& name);

// True for a name that demangle() may change. The linker name of a function in C may differ from
// its own, too, and then it is no better.
inline bool is_mangled_name(const std::string& name) {
    return name.starts_with("_Z") || name.starts_with("_R");
}

}  // namespace memtrace::analyzer
