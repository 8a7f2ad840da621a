// SPDX-License-Identifier: Apache-2.0
//
// From a dump's path to the Model that reports read: the one entry to the analyzer's first half.
//
// Throws Error where nothing can be read (no such file, not a dump, a newer version). Everything
// else, damage included, ends up in the Model: problems, notes and `damaged`.
#pragma once

#include <optional>
#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/model/model.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/replay/run_slices.h"

namespace memtrace::analyzer {

// What not every report needs, and what costs nothing where it is not asked for.
struct LoadOptions {
    PhaseRequest phases;
    // Cut the run into slices and keep the history of each site (site_history.h). Reads the dump
    // twice.
    std::optional<SliceOptions> slices;
};

// `path` may be "-" or a pipe: then the dump is read into memory.
Model load_dump(const std::string& path, const Progress& progress = {},
                const LoadOptions& options = {});

}  // namespace memtrace::analyzer
