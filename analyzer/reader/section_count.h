// SPDX-License-Identifier: Apache-2.0
//
// Counts the sections of a dump that are found, against the number in its header. Sections may be
// zeroed, and then nothing else tells that they were there.
#pragma once

#include <cstdint>

#include "analyzer/reader/dump_file.h"

namespace memtrace::analyzer {

class SectionCount {
public:
    // Counts a section with a sound header.
    void add(const SectionHeader& header) {
        found_ += 1;
        found_lasting_ += header.kind == SectionKind::ring || header.lane == lane_none;
    }
    // Counts sections that were there before the dump was compacted. They are chunks of lanes, and
    // what an earlier compaction wrote.
    void add_gone(uint64_t sections) { found_ += sections; }

    // Reports sections that are missing, or too many: each of `lanes` may have one that its thread
    // did not come to count.
    void check(const DumpFile& file, uint64_t lanes, bool is_written, Problems& problems) const;

private:
    uint64_t found_ = 0;
    uint64_t found_lasting_ = 0;  // rings, and the chunk about the process, among them
};

}  // namespace memtrace::analyzer
