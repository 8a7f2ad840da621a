// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_allocator_check.h"

namespace memtrace::analyzer {

void GpuAllocatorCheck::change_segments(uint32_t lane, int64_t bytes) {
    if (bytes == 0) return;
    Pending& pending = pending_[lane];
    pending.since_report += bytes;
    pending.last = bytes;
}

bool GpuAllocatorCheck::explains(int64_t difference) const {
    int64_t all = 0;
    for (const auto& [lane, pending] : pending_) {
        if (difference == pending.since_report || difference == pending.last) return true;
        all += pending.last;
    }
    return difference == all;
}

void GpuAllocatorCheck::compare(uint32_t lane, uint64_t time, const Counts& theirs,
                                const Counts& ours) {
    pending_.erase(lane);  // The thread reports a block, so its earlier driver calls are over.
    const auto difference = static_cast<int64_t>(ours.reserved - theirs.reserved);
    const bool equal = difference == 0 && theirs.allocated == ours.allocated;
    if (difference == 0) pending_.clear();
    const bool explained = !equal && theirs.allocated == ours.allocated && explains(difference);
    if (!equal && !explained && result_.agreed == result_.moments) {
        result_.time_ns = time;  // in ticks, until the end of the replay
        result_.their_reserved = theirs.reserved;
        result_.our_reserved = ours.reserved;
        result_.their_allocated = theirs.allocated;
        result_.our_allocated = ours.allocated;
    }
    result_.moments += 1;
    result_.agreed += equal || explained;
    result_.in_between += explained;
}

}  // namespace memtrace::analyzer
