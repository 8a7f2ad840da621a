// SPDX-License-Identifier: Apache-2.0
//
// Finds the loops of a program, and how often each went round, from nothing but its stacks and its
// source. A *turn* from one line of a function to an earlier line is an iteration of the innermost
// loop around both lines. A turn inside a callee that cannot be explained by a loop of the callee
// means that the callee was called again, so it is an iteration of a loop of the caller.
//
//   for x in data:            #10     turn 12 -> 11   iteration
//       a(x)                  #11     turn 11 -> 12   no iteration
//       b(x)                  #12     turn 12 -> 12   iteration, if b() was called again
//
// A number is given only if no iteration can hide: if an iteration that is not seen would have to
// begin at a line at which iterations begin, behind a line at which they end, and there is such a
// turn among those that do not count, then the loop's iterations cannot be told apart.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/frames/user_code.h"
#include "analyzer/model/symbols.h"
#include "analyzer/replay/path_look.h"
#include "analyzer/steps/loop_list.h"
#include "analyzer/steps/source_files.h"

namespace memtrace::analyzer {

// `symbols` must name the nodes of `turns`.
FoundLoops find_loops(const PathLook& look, const std::vector<PathTurn>& turns,
                      const Symbols& symbols, const CodePatterns& code, SourceFiles& files);

}  // namespace memtrace::analyzer
