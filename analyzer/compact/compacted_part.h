// SPDX-License-Identifier: Apache-2.0
//
// A report of a part of the run (--from, --to, --phase) from a dump that was compacted: everything
// that the part needs may be there.
//
//   the run      |--- gone: what it amounts to ---|--- events ---|
//   parts                                            |-------|       begins later: as of any dump
//                |-----------------------------------------|         from the start: the sums go on
//                          |--------------------------|              its beginning is gone: refused
//
// A part that begins later is told what is alive, one by one, as if all of it came just before. So
// who holds the memory is exact; how long it has lived, and which thread acquired it, is not known.
#pragma once

#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/model/model.h"
#include "analyzer/replay/load.h"

namespace memtrace::analyzer {

// True if the options ask for a part of the run.
bool asks_for_part(const LoadOptions& options);

// Reads the dump twice. Throws Error like read_compacted(), and if something that the part needs is
// gone.
Model read_compacted_part(const std::string& path, const LoadOptions& options,
                          const Progress& progress = {});

}  // namespace memtrace::analyzer
