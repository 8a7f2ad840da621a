// SPDX-License-Identifier: Apache-2.0
//
// Leaves out the turns at which no loop can be, before functions are named: a start of a program
// makes a million turns once each.
#pragma once

#include <vector>

#include "analyzer/replay/path_look.h"

namespace memtrace::analyzer {

// Returns the turns whose caller made one of its turns again, and all turns of the same functions.
std::vector<PathTurn> kept_turns(const PathLook& look);

}  // namespace memtrace::analyzer
