// SPDX-License-Identifier: Apache-2.0
//
// The table of contents of a dump: the chunks and rings of each lane, and all damage to the file
// below the level of records. Every byte of the file is examined once here.
//
// After damage the walk continues at the next sound section header, which can only stand on a
// multiple of section_alignment. Bytes that belong to no section are judged when all lanes are
// known:
//
//   * zeros                           reserved space that was not written: nothing is lost
//   * a payload without its header    the chunk being written when the process died, if the ring
//                                     of some lane still holds events: nothing is lost, a remark
//   * anything else                   damage
//
// The records lost with a damaged chunk show as a gap in the slot numbers of its lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/model/problems.h"
#include "analyzer/reader/dump_file.h"
#include "analyzer/reader/past.h"
#include "analyzer/reader/ring_view.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct ChunkRef {
    uint64_t offset = 0;  // offset of the section header
    SectionHeader header = {};
};

struct LaneSections {
    uint32_t lane = 0;
    std::vector<ChunkRef> chunks;  // sound, in slot order, not overlapping
    std::optional<RingView> ring;
    // Of a dump that was compacted (PastLane).
    uint64_t first_slot = 0;
    uint64_t first_time = 0;
    uint64_t known_time = 0;
    uint64_t known_count = 0;

    void set_past(const PastLane& past) {
        first_slot = past.first_slot;
        first_time = past.first_time;
        known_time = past.known_time;
        known_count = past.known_count;
    }
};

struct DumpIndex {
    // lane_none first, then by number. If the dump was compacted, those that were there then are
    // first, in the same order, because the state names lanes by their place.
    std::vector<LaneSections> lanes;
    bool is_written = false;      // The program still runs, and writes.
    std::optional<Past> past;     // if the dump was compacted
    std::vector<ChunkRef> pasts;  // all sections of this kind, also those that do not count
};

// Bytes of the dump, without room that was reserved and without what is gone.
inline uint64_t dump_bytes(const DumpFile& file, const DumpIndex& index) {
    const uint64_t end = std::min(file.size(), file.header().file_end);
    return end - std::min(end, gone_bytes(index.past));
}

// Follows the file if it has grown since it was opened. `progress` covers the file once.
DumpIndex index_dump(DumpFile& file, Problems& problems, const Progress& progress = {});

}  // namespace memtrace::analyzer
