// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/space_history.h"

#include <map>

namespace memtrace::analyzer {

SpaceHistory::Changes SpaceHistory::changes_of(std::span<const HeldChange> changes) const {
    std::map<uint32_t, Change> sites;
    Changes result;
    for (const HeldChange& change : changes) {
        if (change.space != index_) continue;
        for (Change* sum : {&result.all, &sites[change.site]}) {
            sum->bytes += static_cast<uint64_t>(change.bytes);
            sum->blocks += static_cast<uint64_t>(change.blocks);
            // No call acquires a group's block (SpaceCounter::begin_group).
            if (change.blocks > 0 && change.numbers > 0)
                sum->allocations += static_cast<uint64_t>(change.blocks);
            sum->allocated_bytes += change.taken;
            sum->numbers += change.numbers;
        }
    }
    for (auto& [site, change] : sites) {
        change.site = site;
        result.sites.push_back(change);
    }
    return result;
}

void SpaceHistory::keep(const std::vector<uint32_t>& kept) {
    const auto is_given_up = [&](const auto& entry) {
        return !std::binary_search(kept.begin(), kept.end(), entry.cut);
    };
    std::erase_if(ends_, is_given_up);
    std::erase_if(whole_, is_given_up);
}

void SpaceHistory::finish(Space& space) {
    const std::vector<uint32_t>& plan = run_.plan();
    if (plan.empty()) return;
    // Returns plan.size() if the cut is after the last slice.
    const auto slice_of = [&](uint32_t cut) {
        return static_cast<uint32_t>(std::lower_bound(plan.begin(), plan.end(), cut) -
                                     plan.begin());
    };
    for (const WholePoint& point : whole_) {
        const uint32_t slice = slice_of(point.cut);
        if (slice == plan.size() || plan[slice] != point.cut) continue;
        space.history.held.push_back(
            {slice, point.bytes, point.blocks, point.allocations, point.allocated_bytes});
    }
    std::vector<BornPoint> born(plan.size());
    PackedStream points = points_.take(run_.cuts());
    PackedStream births = births_.take(run_.cuts());
    CutPoint point, birth;
    bool has_point = points.read(point), has_birth = births.read(birth);
    SiteHistory history;
    for (uint32_t site = 0; site < space.sites.size(); ++site) {
        history.held.clear();
        history.born.clear();
        for (; has_point && point.site == site; has_point = points.read(point)) {
            const uint32_t slice = slice_of(point.cut);
            if (slice == plan.size()) continue;
            if (history.held.empty() || history.held.back().slice != slice)
                history.held.emplace_back();
            history.held.back() = {slice, point.bytes, point.blocks, point.allocations,
                                   point.allocated_bytes};
        }
        for (; has_birth && birth.site == site; has_birth = births.read(birth)) {
            const uint32_t slice = slice_of(birth.cut);
            if (slice == plan.size()) continue;
            if (history.born.empty() || history.born.back().slice != slice)
                history.born.push_back({slice, 0, 0});
            history.born.back().bytes += birth.bytes;
            history.born.back().blocks += birth.blocks;
            born[slice].bytes += birth.bytes;
            born[slice].blocks += birth.blocks;
        }
        space.histories.push_back(history);
    }
    space.histories.shrink_to_fit();
    for (uint32_t slice = 0; slice < born.size(); ++slice) {
        if (born[slice].bytes == 0 && born[slice].blocks == 0) continue;
        born[slice].slice = slice;
        space.history.born.push_back(born[slice]);
    }
}

}  // namespace memtrace::analyzer
