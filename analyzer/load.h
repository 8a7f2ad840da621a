// SPDX-License-Identifier: Apache-2.0
//
// From a dump's path to the Model that reports read: the one entry to the analyzer's first half.
//
// Throws Error where nothing can be read (no such file, not a dump, a newer version). Everything
// else, damage included, ends up in the Model: problems, notes and `damaged`.
#pragma once

#include <string>

#include "analyzer/model.h"
#include "analyzer/phase_follower.h"
#include "analyzer/progress.h"

namespace memtrace::analyzer {

// What is needed besides; nothing of it costs those who do not ask.
struct LoadOptions {
    PhaseRequest phases;
};

// `path` may be "-" or a pipe: then the dump is read into memory.
Model load_dump(const std::string& path, const Progress& progress = {},
                const LoadOptions& options = {});

}  // namespace memtrace::analyzer
