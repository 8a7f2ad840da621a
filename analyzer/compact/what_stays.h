// SPDX-License-Identifier: Apache-2.0
//
// Which sections of a dump are still needed by whoever goes on from a state of it. The chunks of a
// lane stay from the first one on that has an event of the newest known time, or a record that is
// still needed, so that known events can be counted off.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/compact/compact_run.h"
#include "analyzer/reader/dump_index.h"

namespace memtrace::analyzer {

struct WhatStays {
    std::vector<PastLane> lanes;          // in the order of the index
    std::vector<uint64_t> chunks, rings;  // that stay, as offsets
    std::vector<ChunkRef> gone;           // chunks that nobody needs any more
};

// `is_whole`: the run has all events, and there will be no more. Then rings are gone, too.
WhatStays what_stays(const CompactRun& run, const DumpIndex& index, bool is_whole);

}  // namespace memtrace::analyzer
