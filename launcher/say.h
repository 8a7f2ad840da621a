// SPDX-License-Identifier: Apache-2.0
//
// Messages of `memtrace run` itself. Each is a line on standard error, never on the standard output
// of the program. Names in it are made harmless.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "analyzer/base/terminal.h"

namespace memtrace::launcher {

inline void say(std::string_view sentence) {
    fmt::print(stderr, "memtrace: {}\n", analyzer::printable(sentence));
}

}  // namespace memtrace::launcher
