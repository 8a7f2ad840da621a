// SPDX-License-Identifier: Apache-2.0
//
// What the lines of one source file have to do with memory, for Python and for whatever else has
// lines.
//
//   self    stacks whose innermost frame *in this file* is the line: what it asked for, whoever
//           did the work. Added up, they are all stacks that come through the file.
//   total   stacks that come through the line, each counted once, however often they do
//   backward  what autograd allocated backward for operations that went forward in the line: by the
//           innermost frame in this file of the stack that went forward. Its blocks are `self` of
//           the line that called backward, if Python did; this is another view of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct LineFigures {
    Totals self;
    Totals total;
    Totals backward;
};

struct FileFigures {
    Totals totals;                          // of all stacks that come through the file
    Totals backward;                        // of all that went forward through the file
    std::map<uint32_t, LineFigures> lines;  // by line; 0: known to be in the file, not where
};

// The one file that occurs in stacks and that `wanted` means: its path, or the end of it. Throws
// Error if there is none, or several.
std::string find_source(const Symbols& symbols, const std::string& wanted);

FileFigures figures_of(const Space& space, const Symbols& symbols, const std::string& file);

}  // namespace memtrace::analyzer
