// SPDX-License-Identifier: Apache-2.0
//
// Paths and build-ids as text.
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Returns the part of `path` after the last slash.
std::string base_name(std::string_view path);

// True if the path names an open descriptor, as /dev/stdin or the shell's <(…) does.
bool is_descriptor(const std::string& path);

// Returns two lower-case digits for each byte: "01fe".
std::string hex(std::string_view bytes);

}  // namespace memtrace::analyzer
