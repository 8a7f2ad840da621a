// SPDX-License-Identifier: Apache-2.0
//
// The lines that a comparison takes for the same although their numbers differ. Where no figure
// differs they are all that a reader can judge by: a line that took over from another one looks
// like one that moved, if the code was edited or has no build-id.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyzer/diff/diff.h"

namespace memtrace::analyzer {

// Returns "src/a.c:7 main, now in line 5" for each of them, sorted. The place takes about `room`
// columns. `space` is the name of the only space that counts; empty: all.
std::vector<std::string> moved_lines(const Diff& diff, const std::string& space, size_t room);

}  // namespace memtrace::analyzer
