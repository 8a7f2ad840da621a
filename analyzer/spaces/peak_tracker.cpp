// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

void SpaceCounter::count_group_block(uint32_t site, uint32_t label, uint64_t more) {
    look(site);
    Totals totals = sites_.totals(site);
    totals.live_blocks += more;
    sites_.set_totals(site, totals);
    labels_[label].look(moments_);
    labels_[label].totals.live_blocks += more;
    all_.totals.live_blocks += more;
}

uint64_t SpaceCounter::begin_group(uint32_t site, uint32_t label, uint64_t time) {
    count_group_block(site, label, 1);
    grown_ += 1;
    if (history_ != nullptr) {
        // A block that raises no number counts as no allocation.
        history_->acquired(site, 0, 0, 1, 0);
        history_->acquired(site, 0, 1, 0, 0);
    }
    if (observer_ != nullptr) observer_->add({site, label, 0, 1, newest(), true}, 0, time);
    return newest();
}

void SpaceCounter::end_group(uint32_t site, uint32_t label, uint64_t number) {
    count_group_block(site, label, uint64_t{0} - 1);
    unsure_.settle(number, 0, 1);
    if (history_ != nullptr) history_->released(site, 0, 1, 0);
    if (observer_ != nullptr) observer_->take({site, label, 0, 1, number, true}, false);
}

uint64_t SpaceCounter::grow(ObservedChange growth, uint64_t allocated, uint64_t time) {
    const bool is_new = growth.number == 0;
    if (is_new) growth.number = newest() + 1;
    grown_ += is_new;
    growth.is_group = true;
    look(growth.site);
    sites_.grow(growth.site, growth.bytes, allocated);
    labels_[growth.label].look(moments_);
    labels_[growth.label].grow(growth.bytes, allocated);
    all_.grow(growth.bytes, allocated);
    if (all_.totals.live_bytes > peak_bytes_) new_peak(time);
    if (history_ != nullptr) {
        history_->acquired(growth.site, growth.bytes, 0, is_new ? 1 : 0, allocated);
    }
    if (observer_ != nullptr) observer_->add(growth, allocated, time);
    return growth.number;
}

void SpaceCounter::shrink_group(const ObservedChange& part) {
    look(part.site);
    sites_.shrink(part.site, part.bytes);
    labels_[part.label].look(moments_);
    labels_[part.label].totals.live_bytes -= part.bytes;
    all_.totals.live_bytes -= part.bytes;
    unsure_.settle(part.number, part.bytes, 0);
    if (history_ != nullptr) history_->released(part.site, part.bytes, 0, 0);
    if (observer_ == nullptr) return;
    ObservedChange change = part;
    change.is_group = true;
    observer_->take(change, false);
}

}  // namespace memtrace::analyzer
