// SPDX-License-Identifier: Apache-2.0
//
// Whether the steps of two recordings are those of one loop, between which the source may have been
// edited. Figures of one step mean nothing if they are of different loops:
//
//   before                            after
//   21  for (...) { malloc(100); }    27  for (...) { malloc(100); }    the same loop, now shorter
//                                     28  for (...) inl(1024);          the steps of `after`
//
// The loops must be in the same function. A line that was matched (line_match.h) must be on the
// same side of both, and at last the loops must have the same place among those of their function,
// or most call sites of their steps in common.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diff/line_match.h"

namespace memtrace::analyzer {

// Returns a part of a sentence: why steps are not compared; empty: they are those of one loop.
std::string why_other_steps(const DiffSide& before, const DiffSide& after,
                            const std::vector<MatchedLine>& lines);

// Removes the figures of steps from all that a side has.
void leave_out_steps(DiffSide& side);

}  // namespace memtrace::analyzer
