// SPDX-License-Identifier: Apache-2.0
//
// Rust names. The old mangling is C++'s with a hash at the end and signs spelled out; the new one
// ("v0", _R…) has a grammar of its own.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Whether a demangled C++ name is really an old Rust name: it ends in "::h" and 16 hex digits.
bool is_old_rust(std::string_view name);

// "<alloc..vec..Vec$LT$T$GT$>::push::h0123456789abcdef" -> "<alloc::vec::Vec<T>>::push"
std::string clean_old_rust(std::string_view name);

// "_RNvNtCs1234_7mycrate3foo3bar" -> "mycrate::foo::bar"; the input itself if it is not valid.
std::string demangle_rust(std::string_view name);

}  // namespace memtrace::analyzer
