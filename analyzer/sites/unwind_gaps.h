// SPDX-License-Identifier: Apache-2.0
//
// Finds the code because of which call stacks are incomplete or guessed.
//
//   ? ◄ libold.so ◄ make ◄ malloc           cut: libold.so has no unwind data, the walk ended there
//   main ◄ libold.so ◄ make ◄ malloc        guessed: the same, but it seems to keep a frame pointer
//
// A module counts with the captures (acquisitions with a stack) that it affects. A user who needs
// complete stacks can then rebuild that module with unwind data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

struct ModuleCount {
    std::string module;  // base name, or a description of code outside modules
    uint64_t captures = 0;

    bool operator==(const ModuleCount&) const = default;
};
using ModuleCounts = std::vector<ModuleCount>;  // the largest first

struct UnwindGaps {
    // Captures that were cut for `no_data` or `failed`, by the module in which the walk ended.
    std::map<Cut, ModuleCounts> ends;

    // Captures with a guessed frame. A capture with guessed frames in two modules counts for both.
    uint64_t guessed = 0;
    ModuleCounts guessed_in;
};

UnwindGaps find_unwind_gaps(const Model& model);

}  // namespace memtrace::analyzer
