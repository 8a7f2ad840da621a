// SPDX-License-Identifier: Apache-2.0
//
// The Model of a dump that was compacted: what it was compacted to, and the events since then.
#pragma once

#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// With all phases and the slices of the run. Throws Error like load_dump(), and if another version
// of memtrace compacted the dump in a form that this one does not read.
Model read_compacted(const std::string& path, const Progress& progress = {});

}  // namespace memtrace::analyzer
