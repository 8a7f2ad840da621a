// SPDX-License-Identifier: Apache-2.0
//
// Converts linker names to source names: C++ (Itanium) and Rust, in the old and the new mangling.
#pragma once

#include <string>

namespace memtrace::analyzer {

// Returns the full readable name, or the input itself if it is not mangled.
//
// A mangled name refers to its own parts, and each reference is written out, so a readable name can
// be of any length. The input itself is returned if that would have more than 32 KiB or takes too
// long to find; `is_too_long`, unless it is null, tells.
std::string demangle(const std::string& name, bool* is_too_long = nullptr);

// True for a name that demangle() may change. The linker name of a function in C may differ from
// its own, too, and then it is no better.
inline bool is_mangled_name(const std::string& name) {
    return name.starts_with("_Z") || name.starts_with("_R");
}

}  // namespace memtrace::analyzer
