// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's caching allocator reports with each block how much memory it has taken from the driver
// and how much it has handed out. The comparison with the recorded figures shows if anything was
// missed.
//
// The allocator counts a segment after the driver's call, and a thread may report a block while
// another thread is between the two. A difference is therefore explained by a thread's changes to
// segments since its last report, or by the last of these changes. Such a moment agrees, and is
// also counted as in_between.
#pragma once

#include <cstdint>
#include <map>

#include "analyzer/model/gpu_model.h"

namespace memtrace::analyzer {

class GpuAllocatorCheck {
public:
    struct Counts {
        uint64_t reserved = 0;
        uint64_t allocated = 0;
    };

    // Records that this lane made the segments larger or smaller.
    void change_segments(uint32_t lane, int64_t bytes);
    void compare(uint32_t lane, uint64_t time, const Counts& theirs, const Counts& ours);

    const GpuSelfCheck& result() const { return result_; }

    // archive.h
    static void state(auto& self, auto& each) { each(self.pending_, self.result_); }

private:
    struct Pending {
        int64_t since_report = 0;
        int64_t last = 0;
    };
    bool explains(int64_t difference) const;

    std::map<uint32_t, Pending> pending_;  // by lane
    GpuSelfCheck result_;
};

}  // namespace memtrace::analyzer
