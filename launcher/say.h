// SPDX-License-Identifier: Apache-2.0
//
// What the launcher itself says: a line on standard error, never on the program's standard output.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace memtrace::launcher {

inline void say(std::string_view sentence) { fmt::print(stderr, "memtrace: {}\n", sentence); }

}  // namespace memtrace::launcher
