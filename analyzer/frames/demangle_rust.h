// SPDX-License-Identifier: Apache-2.0
//
// Converts Rust names. The old mangling is that of C++ with a hash at the end and signs spelled
// out. The new mangling ("v0", _R…) has a grammar of its own.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

// True if a demangled C++ name is really an old Rust name: it ends in "::h" and 16 lower-case hex
// digits.
bool is_old_rust(std::string_view name);

// Removes the hash and converts spelled-out signs:
// "<alloc..vec..Vec$LT$T$GT$>::push::h0123456789abcdef" -> "<alloc::vec::Vec<T>>::push"
std::string clean_old_rust(std::string_view name);

// Returns "mycrate::foo::bar" for "_RNvNtCs1234_7mycrate3foo3bar"; the input itself if it is not
// valid.
std::string demangle_rust(std::string_view name);

}  // namespace memtrace::analyzer
