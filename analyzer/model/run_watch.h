// SPDX-License-Identifier: Apache-2.0
//
// What a replay finds out about every change of every space, by request only: memory held over
// time, how long blocks live, which thread acquired them, and when something is missing. Sites are
// named by their number in the replay (Space::numbers).
//
// Blocks and bytes of an estimated space are estimates.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/life_bins.h"
#include "analyzer/model/sites.h"
#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

// ---- curves ------------------------------------------------------------------------------------

// What a space held in a slice of time. The slice begins where the one before it ends.
struct CurveSlice {
    uint64_t end_ns = 0;
    uint64_t lowest = 0;  // bytes, as the next two
    uint64_t highest = 0;
    uint64_t last = 0;  // at the end of the slice
};

struct HeldCurve {
    uint64_t begin_ns = 0;
    uint64_t first = 0;  // bytes held at the begin
    uint64_t peak_bytes = 0;
    uint64_t peak_time_ns = 0;  // when it was reached for the first time
    std::vector<CurveSlice> slices;
};

// ---- lives -------------------------------------------------------------------------------------

struct BlockSum {
    uint64_t blocks = 0;
    uint64_t bytes = 0;  // as they were acquired

    void add(const BlockSum& other) {
        blocks += other.blocks;
        bytes += other.bytes;
    }
    bool operator==(const BlockSum&) const = default;
};

// Blocks that a site acquired. Those that were alive at the end have no life yet.
struct SiteLives {
    BlockSum all;
    BlockSum temporary;  // freed before their thread's next allocation
    BlockSum brief;      // whose life was as short as the request says
    BlockSum alive;      // at the end
};

// The blocks of one bar of a histogram that a site acquired.
struct LifeBar {
    LifeScale scale = LifeScale::size;
    uint32_t bin = 0;  // life_bins.h
    uint32_t site = 0;
    BlockSum ended;
    BlockSum alive;  // of LifeScale::size only
};

// ---- single blocks -----------------------------------------------------------------------------

// A block, or a part of one that was released by itself, and its time.
struct BlockLife {
    uint64_t begin = 0;  // in nanoseconds, as the end
    uint64_t end = 0;    // 0 if it is alive
    uint64_t bytes = 0;
    uint32_t site = 0;
    bool is_alive = false;  // at the end

    bool operator==(const BlockLife&) const = default;
};

// ---- threads -----------------------------------------------------------------------------------

// The memory of one site that one thread acquired.
struct ThreadShare {
    uint32_t thread = 0;  // index into Model::threads
    uint32_t site = 0;
    Totals totals;
    BlockSum freed_by_others;  // by other threads
};

// Shares in no order. A run of PyTorch has nearly a million of them, so their figures are kept as
// those of sites are.
class ShareList {
public:
    struct Pair {
        uint32_t thread = 0;
        uint32_t site = 0;
        BlockSum freed_by_others;
    };

    ShareList() = default;
    // `totals`: by pair
    ShareList(std::vector<Pair> pairs, Sites totals)
        : pairs_(std::move(pairs)), totals_(std::move(totals)) {}

    size_t size() const { return pairs_.size(); }
    ThreadShare operator[](size_t i) const {
        return {pairs_[i].thread, pairs_[i].site, totals_.totals(i), pairs_[i].freed_by_others};
    }
    void for_each(auto&& visit) const {
        for (size_t i = 0; i < size(); ++i) visit((*this)[i]);
    }

private:
    std::vector<Pair> pairs_;
    Sites totals_;
};

// ---- what is missing --------------------------------------------------------------------------

// Events of a thread are missing in this time: a part of the dump is damaged.
struct LostTime {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
};

// ---- all ---------------------------------------------------------------------------------------

struct SpaceWatch {
    HeldCurve curve;
    std::vector<SiteLives> lives;  // by site; a site past its end has none
    std::vector<LifeBar> bars;     // in no order
    ShareList shares;
    std::vector<BlockLife> largest;  // by their begin
};

struct RunWatch {
    std::map<std::string, SpaceWatch> spaces;    // by name
    std::vector<LostTime> lost;                  // by time, not overlapping
    std::shared_ptr<const TensorLives> tensors;  // null: not requested
};

}  // namespace memtrace::analyzer
