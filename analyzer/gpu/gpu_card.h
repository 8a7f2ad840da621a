// SPDX-License-Identifier: Apache-2.0
//
// One device during the replay: its space and its segments. Also the memory that pools and the
// driver itself hold on it, and its figures when the space was at its peak.
//
//   * A pool of the driver holds as many bytes as it last reported as reserved, and never less
//     than it has handed out. The difference is a group of its own, "kept by the driver's pools".
//     What it handed out while nothing was recorded belongs to neither.
//   * The figures at the peak are taken when the largest share of the segments was handed out. A
//     segment is acquired first, and the block that needs it is cut from it a moment later.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analyzer/gpu/gpu_segments.h"
#include "analyzer/gpu/gpu_space.h"
#include "analyzer/model/gpu_model.h"

namespace memtrace::analyzer {

class GpuCard {
public:
    explicit GpuCard(uint32_t number) : space_(device_space(number)) {}

    // For memory of the device, with or without addresses.
    GpuHolding acquire(uint64_t bytes, uint32_t stack, const std::string& label, uint64_t time,
                       const GpuCaller& by);
    void release(const GpuHolding& holding, uint64_t time, uint32_t thread);

    // The same for memory of a pool.
    GpuHolding acquire_pooled(uint64_t pool, uint64_t bytes, uint32_t stack,
                              const std::string& label, uint64_t time, const GpuCaller& by);
    void release_pooled(uint64_t pool, const GpuHolding& holding, uint64_t time, uint32_t thread);
    // What the driver said of a pool. `gap`: the number of times so far that the recording was off.
    struct PoolState {
        uint64_t reserved = 0;
        uint64_t used = 0;
        uint32_t gap = 0;
    };
    void pool_is(uint64_t pool, const PoolState& state, uint64_t time);
    void graphs_reserve(uint64_t bytes, uint64_t time);

    // Adds memory that the driver takes for itself. `more` is negative if the driver gave memory
    // back.
    void add_overhead(uint64_t object, int64_t more) { overhead_[object] += more; }
    void add_context(uint64_t context) { contexts_[context] = true; }
    // With the last context, all memory that the driver itself holds is gone.
    void end_context(uint64_t context, uint64_t time);

    // Call after a change of segments or their blocks.
    void look_at_peak(uint64_t time);

    GpuFigures figures(uint64_t time) const;
    const GpuFigures& at_peak() const { return at_peak_; }
    GpuSpace& space() { return space_; }
    const GpuSpace& space() const { return space_; }
    // Bytes by which the space would be larger if it had whole pages.
    uint64_t slack() const;
    GpuSegments& segments() { return segments_; }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.space_, self.segments_, self.pools_, self.kept_, self.graphs_, self.overhead_,
             self.contexts_, self.large_slack_, self.small_bytes_, self.changes_,
             self.changes_at_peak_, self.peak_bytes_, self.at_peak_);
    }

private:
    struct Pool {
        uint64_t reserved = 0;  // as last reported
        uint64_t handed_out = 0;
        uint64_t earlier = 0;  // handed out while nothing was recorded, as last reported
        uint32_t gap = 0;      // the newest gap that `earlier` knows
        uint64_t kept() const {
            const uint64_t gone = handed_out + earlier;
            return reserved > gone ? reserved - gone : 0;
        }
    };
    void count_slack(uint64_t bytes, bool comes);

    GpuSpace space_;
    GpuSegments segments_;
    std::map<uint64_t, Pool> pools_;
    uint64_t kept_ = 0;  // by all pools
    uint64_t graphs_ = 0;
    std::map<uint64_t, int64_t> overhead_;  // by object
    std::map<uint64_t, bool> contexts_;
    uint64_t large_slack_ = 0;
    uint64_t small_bytes_ = 0;
    uint64_t changes_ = 0;  // number of changes of the space
    uint64_t changes_at_peak_ = 0;
    uint64_t peak_bytes_ = 0;  // at the time of at_peak_
    GpuFigures at_peak_;
};

}  // namespace memtrace::analyzer
