// SPDX-License-Identifier: Apache-2.0
//
// The dump's table of contents: which chunks and rings each lane has, and everything that is wrong
// with the file below the level of records. Every byte of the file is looked at once here.
//
// After damage the walk goes on at the next sound frame header, which can only stand on a multiple
// of section_alignment. Bytes that belong to no frame are judged when all lanes are known:
//
//   * zeros                           room that was reserved and not written: nothing is lost
//   * a payload without its header    the chunk being written when the process died, if some
//                                     lane's ring still holds events: nothing is lost, a remark
//   * anything else                   damage
//
// What a damaged chunk held shows as a gap in its lane's slot numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/model/problems.h"
#include "analyzer/reader/dump_file.h"
#include "analyzer/reader/ring_view.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct ChunkRef {
    uint64_t offset = 0;  // of the frame
    SectionHeader header = {};
};

struct LaneSections {
    uint32_t lane = 0;
    std::vector<ChunkRef> chunks;  // sound, in slot order, not overlapping
    std::optional<RingView> ring;
};

struct DumpIndex {
    std::vector<LaneSections> lanes;  // lane_none first, then by number
};

// Follows the file if it has grown since it was opened. `progress` covers the file once.
DumpIndex index_dump(DumpFile& file, Problems& problems, const Progress& progress = {});

}  // namespace memtrace::analyzer
