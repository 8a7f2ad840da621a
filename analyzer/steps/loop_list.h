// SPDX-License-Identifier: Apache-2.0
//
// The loops of a program as people read them, and which of them is the one whose iterations are the
// program's steps.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/frames/user_code.h"
#include "analyzer/model/source_loop.h"
#include "analyzer/replay/path_look.h"
#include "analyzer/steps/loop_levels.h"

namespace memtrace::analyzer {

struct FoundLoops {
    SourceLoops found;
    std::vector<LoopTurns> turns;  // by loop: how to recognise its steps in the dump
};

// `unreadable`: sentences about the user's own source files that could not be read.
FoundLoops list_loops(const std::map<LevelKey, Level>& levels, const PathLook& look,
                      const Symbols& symbols, const CodePatterns& code,
                      const std::set<std::string>& unreadable);

// Chooses the outermost loop with enough steps. Of several, one of the user's own code, and the one
// that lasts longest. Sets SourceLoops::steps or why_none. `run_end_ns`: of the last acquisition,
// in any loop or none; 0: it is not known.
void choose_steps(SourceLoops& loops, uint64_t run_end_ns = 0);

}  // namespace memtrace::analyzer
