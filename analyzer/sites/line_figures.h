// SPDX-License-Identifier: Apache-2.0
//
// Memory figures of the lines of one source file, in Python and any other language with line
// information.
//
//   self    stacks with the line as their innermost frame *in this file*: memory requested by the
//           line, in whatever function it was allocated. The sum is that of all stacks through the
//           file.
//   total   stacks through the line, each counted once
//   backward  memory that autograd allocated backward for operations that went forward in the line,
//           by the innermost frame in this file of the forward stack. If Python called backward,
//           the same blocks are also `self` of the calling line.
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
    Totals totals;                          // of all stacks through the file
    Totals backward;                        // of everything that went forward through the file
    std::map<uint32_t, LineFigures> lines;  // by line; 0: in the file, but at an unknown line
};

// Returns the file in the stacks with the path `wanted`, or with a path that ends in it. Throws
// Error if there is none or more than one.
std::string find_source(const Symbols& symbols, const std::string& wanted);

FileFigures figures_of(const Space& space, const Symbols& symbols, const std::string& file);

}  // namespace memtrace::analyzer
