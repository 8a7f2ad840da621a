// SPDX-License-Identifier: Apache-2.0
//
// The table of contents of a dump that is still being written. Each look() finds what came since
// the last one: new chunks, new lanes, and what the rings hold now. Every byte is looked at once.
//
//   file   |hdr|process|ring 0|chunk|chunk|ring 1|chunk| being written |chunk|
//   first look ------------------------->
//   second look                          ------------->|    a gap      |---->
//   third look                                          ----------------
//
// A section whose header is not there yet is a gap. It is looked at again until the header is
// there.
//
// The order within a look() is that of dump_index.h: rings first, then chunks. Records that leave a
// ring meanwhile are in a chunk that the walk finds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "analyzer/reader/dump_index.h"

namespace memtrace::analyzer {

class DumpFollower {
public:
    // `past`: what the dump was compacted to; nullptr: it was not.
    DumpFollower(DumpFile& file, Problems& problems, const Past* past);

    // Finds what was written since the last call. Damage goes to the problems.
    void look();

    // In the order in which they were found. References stay valid. The chunks of each are in the
    // order of their slots.
    const std::deque<LaneSections>& lanes() const { return lanes_; }

private:
    struct Extent {
        uint64_t begin;
        uint64_t end;
    };

    void walk(uint64_t begin, uint64_t end, std::vector<Extent>& gaps);
    void add(uint64_t offset, const SectionHeader& header, uint64_t limit);
    void add_ring(uint64_t offset, const SectionHeader& header);
    void add_chunk(uint64_t offset, const SectionHeader& header, uint64_t limit);
    LaneSections& lane(uint32_t number);
    void copy_ring(LaneSections& lane, uint64_t offset);

    DumpFile& file_;
    Problems& problems_;
    std::deque<LaneSections> lanes_;
    std::map<uint32_t, LaneSections*> by_number_;
    std::vector<PastGone> gone_;  // parts that were not yet passed
    std::vector<Extent> gaps_;
    uint64_t walked_ = page_bytes;
    bool has_new_ring_ = false;
};

}  // namespace memtrace::analyzer
