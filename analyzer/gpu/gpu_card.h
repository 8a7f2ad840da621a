// SPDX-License-Identifier: Apache-2.0
//
// One device as the replay sees it: its space, its segments, what pools and the driver itself
// hold of it, and how all that stood when the space was at its peak.
//
//   * A pool of the driver's holds what it says that it has reserved, and never less than what it
//     has handed out. The difference is a group of its own, "kept by the driver's pools".
//   * The peak is looked at when most of its segments were handed out: a segment is taken first,
//     and the block that it is for comes out of it a moment later.
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
    explicit GpuCard(uint32_t number) : space_("device:" + std::to_string(number)) {}

    // Memory of the device, with addresses or without.
    GpuHolding acquire(uint64_t bytes, uint32_t stack, const std::string& label, uint64_t time,
                       const GpuCaller& by);
    void release(const GpuHolding& holding, uint64_t time, uint32_t thread);

    // The same for memory of a pool.
    GpuHolding acquire_pooled(uint64_t pool, uint64_t bytes, uint32_t stack,
                              const std::string& label, uint64_t time, const GpuCaller& by);
    void release_pooled(uint64_t pool, const GpuHolding& holding, uint64_t time, uint32_t thread);
    void pool_reserves(uint64_t pool, uint64_t bytes, uint64_t time);
    void graphs_reserve(uint64_t bytes, uint64_t time);

    // What the driver takes for itself; `more` is less than 0 where it gave something back.
    void add_overhead(uint64_t object, int64_t more) { overhead_[object] += more; }
    void add_context(uint64_t context) { contexts_[context] = true; }
    // The last context takes everything with it that the driver holds.
    void end_context(uint64_t context, uint64_t time);

    // After something happened to segments or their blocks.
    void look_at_peak(uint64_t time);

    GpuFigures figures(uint64_t time) const;
    const GpuFigures& at_peak() const { return at_peak_; }
    GpuSpace& space() { return space_; }
    const GpuSpace& space() const { return space_; }
    GpuSegments& segments() { return segments_; }

private:
    struct Pool {
        uint64_t reserved = 0;  // as it last said
        uint64_t handed_out = 0;
        uint64_t kept() const { return reserved > handed_out ? reserved - handed_out : 0; }
    };

    // What one pool keeps has changed; `taken` of it is new to the device.
    void set_kept(uint64_t before, uint64_t after, uint64_t taken, uint64_t time);
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
    uint64_t changes_ = 0;  // of the space
    uint64_t changes_at_peak_ = 0;
    uint64_t peak_bytes_ = 0;  // when at_peak_ was made
    GpuFigures at_peak_;
};

}  // namespace memtrace::analyzer
