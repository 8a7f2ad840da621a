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

bool Sites::has_lost(const Totals& totals) {
    return (totals.lost_blocks | totals.indirectly_lost_blocks | totals.possibly_lost_blocks |
            totals.garbage_blocks) != 0;
}

Sites::Width Sites::width_for(const Totals& totals) {
    if (has_lost(totals)) return Width::wide;
    const uint64_t largest = std::max(
        {totals.allocations, totals.frees, totals.allocated_bytes, totals.live_blocks,
         totals.live_bytes, totals.at_peak_blocks, totals.at_peak_bytes, totals.own_peak_bytes,
         totals.temporary, totals.held_blocks, totals.held_bytes, totals.half_bytes});
    return largest <= Small::max    ? Width::small
           : largest <= Medium::max ? Width::medium
                                    : Width::wide;
}

void Sites::widen(Row& row) {
    if (row.width() == Width::small) {
        medium_.push_back(converted<Medium>(row.figures));
        row.move_to(Width::medium, medium_.size() - 1);
    } else {
        wide_.push_back(converted<Totals>(medium_[row.place()]));
        row.move_to(Width::wide, wide_.size() - 1);
    }
}

void Sites::push_back(const Site& site) {
    push_back(site.stack, site.backward);
    set_totals(rows_.size() - 1, site.totals);
}

void Sites::set_totals(size_t i, const Totals& totals) {
    Row& row = rows_[i];
    const Width width = width_for(totals);
    while (row.width() < width) widen(row);
    switch (row.width()) {
        case Width::small: row.figures = converted<Small>(totals); break;
        case Width::medium: medium_[row.place()] = converted<Medium>(totals); break;
        case Width::wide: wide_[row.place()] = totals; break;
    }
}

}  // namespace memtrace::analyzer
