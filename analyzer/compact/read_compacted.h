// SPDX-License-Identifier: Apache-2.0
//
// The Model of a dump that was compacted: what it was compacted to, and the events since then.
#pragma once

#include <functional>
#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/compact/compact_run.h"
#include "analyzer/model/model.h"
#include "analyzer/reader/moment.h"

namespace memtrace::analyzer {

// With all phases and the slices of the run. Throws Error like load_dump(), and if another version
// of memtrace compacted the dump in a form that this one does not read.
Model read_compacted(const std::string& path, const Progress& progress = {});

// The steps of it, for a report of a part of the run (compacted_part.h).

// Replays what is left. A program that still runs goes on after this moment.
void replay_rest(CompactRun& run, const DumpFile& file, const DumpIndex& index, const Moment& now,
                 const Progress& progress);
Model finish_compacted(CompactRun& run, const DumpFile& file, const DumpIndex& index);
// Calls read() until the dump was not compacted meanwhile, and says in a sentence if its state has
// another form.
Model read_while_compacted(const std::string& path, const std::function<Model()>& read);

}  // namespace memtrace::analyzer
