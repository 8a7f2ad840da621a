// SPDX-License-Identifier: Apache-2.0
//
// Matches lines of one function in two recordings, between which the source may have been edited.
// Numbers of lines shift, so they tell only the order. Lines are alike if the same call sites are
// below them and if they take as much, and of all ways to match them in order, the one with the
// greatest likeness counts:
//
//   before                        after
//   10  self.read()    5.0 MiB    12  self.read()    5.0 MiB
//                                 13  LOG.append()  48.0 MiB     new
//   11  self.parse()   2.0 MiB    14  self.parse()   9.0 MiB
//
// A function with a single line on each side needs no likeness. Neither do lines of code that both
// recordings have (line_place.h): they are matched by their numbers alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diff/diff_side.h"

namespace memtrace::analyzer {

// A line in both recordings, whatever it holds.
struct MatchedLine {
    const DiffLine* before = nullptr;  // nullptr: new
    const DiffLine* after = nullptr;   // nullptr: gone
};

// Indices into the two lists; nothing: the line is on one side only.
using LinePair = std::pair<std::optional<size_t>, std::optional<size_t>>;

// Both lists have the lines of one key, by file and line. Each line is in exactly one pair.
std::vector<LinePair> match_lines(std::span<const DiffLine> before,
                                  std::span<const DiffLine> after);

// Returns how much alike two lines are, from 0 to 1.
double likeness(const DiffLine& before, const DiffLine& after);

}  // namespace memtrace::analyzer
