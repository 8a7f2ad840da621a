// SPDX-License-Identifier: Apache-2.0
//
// The memory of one device that has addresses, and the parts of it that PyTorch's caching
// allocator has handed out. Memory from which the allocator cuts its blocks is a segment. The free
// parts of a segment are holes.
//
//   segments    |AAAAAAAAAAAAAAAA|BBBBBBBB|        |CCCC|CCCC|     C: mapped, may be one piece
//   blocks       aaaa    aa                          cc
//   holes            1111  222222 33333333          4  5555        3: a whole segment is free
//
// Memory that other code took from the driver becomes a segment with the first block that lies in
// it. The allocator can be configured to use another allocator (a pool of NCCL, a plug-in).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/model/gpu_model.h"

namespace memtrace::analyzer {

class GpuSegments {
public:
    struct Range {
        uint64_t end = 0;
        uint32_t site = 0;
        bool is_mapped = false;  // it may form one piece with its neighbours
        bool is_segment = false;
        bool is_lent = false;  // a segment that the allocator itself did not request
        uint64_t used = 0;     // bytes that are handed out
    };

    void add(uint64_t begin, uint64_t size, uint32_t site, bool is_mapped, bool is_segment);
    // Removes all ranges that begin in [begin, end).
    void remove(uint64_t begin, uint64_t end);

    // Call when a block was handed out or came back. Parts outside all ranges are ignored.
    void take(uint64_t address, uint64_t size);
    void give(uint64_t address, uint64_t size);

    uint64_t bytes() const { return bytes_; }
    uint64_t used() const { return used_; }

    // Fills in the fields that this class computes.
    void fill(GpuFigures& figures) const;
    std::vector<GpuHole> largest_holes(size_t count) const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.ranges_, self.holes_, self.sizes_, self.lent_, self.bytes_, self.used_,
             self.cached_);
    }

private:
    using Ranges = std::map<uint64_t, Range>;

    // Calls each(range, begin, end) for the parts of [begin, end) that lie in ranges.
    template <class Each>
    void for_each_part(uint64_t begin, uint64_t end, Each&& each);
    void make_segment(uint64_t begin, Range& range, bool is_lent);
    void set_used(uint64_t begin, Range& range, uint64_t used);
    bool is_wall(uint64_t address) const;  // true between two segments that are not one piece
    void add_hole(uint64_t begin, uint64_t end);
    void cut_holes(uint64_t begin, uint64_t end);
    void insert_hole(uint64_t begin, uint64_t end);
    std::map<uint64_t, uint64_t>::iterator erase_hole(std::map<uint64_t, uint64_t>::iterator hole);

    Ranges ranges_;                       // by begin
    std::map<uint64_t, uint64_t> holes_;  // begin to end
    std::map<uint64_t, uint64_t> sizes_;  // number of holes by size
    std::map<uint32_t, uint64_t> lent_;   // bytes by site
    uint64_t bytes_ = 0;                  // bytes of segments
    uint64_t used_ = 0;
    uint64_t cached_ = 0;  // bytes of segments without used parts
};

}  // namespace memtrace::analyzer
