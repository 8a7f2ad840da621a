// SPDX-License-Identifier: Apache-2.0
//
// Shortens long C++ names to what a programmer would write.
//
//   std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >,
//     std::allocator<…> >::_M_realloc_insert(…)  ->  std::vector<std::string>::_M_realloc_insert
//
// Reports for programs keep the full names.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Returns the name without parameters, return type, default template arguments and inline
// namespaces, in at most `width` columns. Template arguments are dropped first, then the outer
// namespaces, then the middle.
std::string shorten(std::string_view name, size_t width = std::string_view::npos);

// Returns at most `width` columns of `text` by dropping its middle. The beginning and the end are
// kept because they distinguish names.
std::string cut_middle(const std::string& text, size_t width);

}  // namespace memtrace::analyzer
