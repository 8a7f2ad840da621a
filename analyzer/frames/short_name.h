// SPDX-License-Identifier: Apache-2.0
//
// Long C++ names for eyes: what a programmer would write, not what the compiler had to say.
//
//   std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >,
//     std::allocator<…> >::_M_realloc_insert(…)  ->  std::vector<std::string>::_M_realloc_insert
//
// Reports for programs keep the full names.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Without parameters, return type, default template arguments and inline namespaces; in at most
// `width` characters, for which template arguments give way first, then the middle.
std::string shorten(std::string_view name, size_t width = std::string_view::npos);

// The last resort: begin and end are what tells names apart.
std::string cut_middle(const std::string& text, size_t width);

}  // namespace memtrace::analyzer
