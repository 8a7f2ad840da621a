// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/sites.h"

#include <algorithm>

namespace memtrace::analyzer {

void add_lost(Totals& totals, LostKind kind, uint64_t bytes) {
    switch (kind) {
        case LostKind::definitely:
            totals.lost_blocks += 1;
            totals.lost_bytes += bytes;
            break;
        case LostKind::indirectly:
            totals.indirectly_lost_blocks += 1;
            totals.indirectly_lost_bytes += bytes;
            break;
        case LostKind::possibly:
            totals.possibly_lost_blocks += 1;
            totals.possibly_lost_bytes += bytes;
            break;
        case LostKind::garbage:
            totals.garbage_blocks += 1;
            totals.garbage_bytes += bytes;
            break;
        case LostKind::ignored: break;
    }
}

Totals Sites::widened(const Narrow& figures) {
    Totals totals;
    totals.allocations = figures.allocations;
    totals.frees = figures.frees;
    totals.allocated_bytes = figures.allocated_bytes;
    totals.live_blocks = figures.live_blocks;
    totals.live_bytes = figures.live_bytes;
    totals.at_peak_blocks = figures.at_peak_blocks;
    totals.at_peak_bytes = figures.at_peak_bytes;
    totals.own_peak_bytes = figures.own_peak_bytes;
    totals.temporary = figures.temporary;
    totals.held_blocks = figures.held_blocks;
    totals.held_bytes = figures.held_bytes;
    totals.half_bytes = figures.half_bytes;
    return totals;
}

bool Sites::has_lost(const Totals& totals) {
    return (totals.lost_blocks | totals.indirectly_lost_blocks | totals.possibly_lost_blocks |
            totals.garbage_blocks) != 0;
}

void Sites::widen(size_t i) {
    Row& row = rows_[i];
    wide_.push_back(widened(row.figures));
    row.figures = {};
    row.figures.allocations = static_cast<uint32_t>(wide_.size() - 1);
    row.backward_and_width |= Row::wide_bit;
}

void Sites::push_back(const Site& site) {
    rows_.push_back({});
    set(rows_.size() - 1, site);
}

void Sites::set_totals(size_t i, const Totals& totals) {
    const uint64_t largest = std::max(
        {totals.allocations, totals.frees, totals.allocated_bytes, totals.live_blocks,
         totals.live_bytes, totals.at_peak_blocks, totals.at_peak_bytes, totals.own_peak_bytes,
         totals.temporary, totals.held_blocks, totals.held_bytes, totals.half_bytes});
    Row& row = rows_[i];
    if ((largest > narrow_max || has_lost(totals)) && !row.is_wide()) widen(i);
    if (row.is_wide()) {
        wide_[row.figures.allocations] = totals;
        return;
    }
    const auto narrow = [](uint64_t figure) { return static_cast<uint32_t>(figure); };
    row.figures = {
        narrow(totals.allocations),   narrow(totals.frees),          narrow(totals.allocated_bytes),
        narrow(totals.live_blocks),   narrow(totals.live_bytes),     narrow(totals.at_peak_blocks),
        narrow(totals.at_peak_bytes), narrow(totals.own_peak_bytes), narrow(totals.temporary),
        narrow(totals.held_blocks),   narrow(totals.held_bytes),     narrow(totals.half_bytes)};
}

}  // namespace memtrace::analyzer
