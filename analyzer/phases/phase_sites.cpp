// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_sites.h"

#include <algorithm>

#include "analyzer/model/kept_sites.h"
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

// Must be called before a change: the holdings have not changed since the last call.
void PhaseSites::look(Tally& tally) const {
    Totals& totals = tally.totals;
    if (tally.peak_seen != peak_number_) {
        tally.peak_seen = peak_number_;
        totals.at_peak_blocks = tally.live_blocks;
        totals.at_peak_bytes = tally.live_bytes;
    }
    if (tally.work_end_seen != work_end_) {
        tally.work_end_seen = work_end_;
        totals.held_blocks = totals.live_blocks + tally.fresh_blocks;
        totals.held_bytes = totals.live_bytes + tally.fresh_bytes;
    }
    if (tally.moment_seen == moment_) return;
    const bool was_open_since = is_open() || moment_ - tally.moment_seen >= 2;
    tally.moment_seen = moment_;
    if (was_open_since) totals.own_peak_bytes = std::max(totals.own_peak_bytes, tally.live_bytes);
    // The phase in which these bytes were fresh has ended.
    totals.live_blocks += tally.fresh_blocks;
    totals.live_bytes += tally.fresh_bytes;
    tally.fresh_blocks = 0;
    tally.fresh_bytes = 0;
}

void PhaseSites::look_for_peak(uint64_t time) {
    if (has_peak_ && all_.live_bytes <= all_.totals.own_peak_bytes) return;
    has_peak_ = true;
    peak_number_ += 1;
    peak_time_ = time;
    all_.totals.own_peak_bytes = all_.live_bytes;
    look(all_);
}

void PhaseSites::open(uint64_t time) {
    moment_ += 1;
    before_ = newest_;
    const uint64_t peak = all_.totals.own_peak_bytes;
    look(all_);
    all_.totals.own_peak_bytes = peak;
    look_for_peak(time);
}

// What is alive was acquired in the phase.
PhaseSites::Tally PhaseSites::tally_of(const Totals& totals) const {
    Tally tally;
    tally.live_blocks = tally.fresh_blocks = totals.live_blocks;
    tally.live_bytes = tally.fresh_bytes = totals.live_bytes;
    tally.totals.allocations = totals.allocations;
    tally.totals.allocated_bytes = totals.allocated_bytes;
    tally.totals.frees = totals.frees;
    tally.totals.temporary = totals.temporary;
    tally.totals.at_peak_blocks = totals.at_peak_blocks;
    tally.totals.at_peak_bytes = totals.at_peak_bytes;
    tally.totals.own_peak_bytes = totals.own_peak_bytes;
    tally.totals.held_blocks = totals.held_blocks;
    tally.totals.held_bytes = totals.held_bytes;
    tally.moment_seen = moment_;
    tally.peak_seen = peak_number_;
    tally.work_end_seen = work_end_;
    return tally;
}

void PhaseSites::go_on_from_start(const SpaceCounter& space, uint64_t time) {
    moment_ = peak_number_ = 1;
    work_end_ = space.has_work_ended() ? 1 : 0;
    has_peak_ = true;
    peak_time_ = space.peak_bytes() == 0 ? time : space.peak_time();
    newest_ = space.newest();
    all_ = tally_of(space.totals_at_peak());
    all_.totals.own_peak_bytes = space.peak_bytes();
    for (uint32_t site = 0; site < space.site_count(); ++site)
        sites_.push_back(tally_of(space.site_totals(site)));
    for (uint32_t label = 0; label < space.label_count(); ++label)
        labels_.push_back(tally_of(space.label_totals_at_peak(label)));
}

void PhaseSites::close() {
    moment_ += 1;
    look(all_);
}

void PhaseSites::end_work() {
    work_end_ += 1;
    look(all_);
}

template <class Change>
void PhaseSites::change_each(const ObservedChange& change, Change&& apply) {
    if (change.site >= sites_.size()) sites_.resize(size_t{change.site} + 1);
    look(sites_[change.site]);
    apply(sites_[change.site]);
    if (change.label == SpaceCounter::no_label) return;
    if (change.label >= labels_.size()) labels_.resize(size_t{change.label} + 1);
    look(labels_[change.label]);
    apply(labels_[change.label]);
}

void PhaseSites::acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) {
    newest_ = std::max(newest_, change.number);  // What was alive before comes in any order.
    const auto count = [&](Tally& tally) {
        tally.live_blocks += change.blocks;
        tally.live_bytes += change.bytes;
        if (!is_open()) return;
        if (!change.is_group) tally.totals.allocations += change.blocks;
        tally.totals.allocated_bytes += allocated_bytes;
        if (change.number <= before_) return;  // A group got back what blocks had taken over.
        tally.fresh_blocks += change.blocks;
        tally.fresh_bytes += change.bytes;
    };
    change_each(change, [&](Tally& tally) {
        count(tally);
        uint64_t& most = tally.totals.own_peak_bytes;
        if (is_open()) most = std::max(most, tally.live_bytes);
    });
    count(all_);
    if (is_open()) look_for_peak(time);
}

void PhaseSites::released(const ObservedChange& change, bool is_temporary) {
    const bool is_fresh = is_open() && change.number > before_;
    const auto count = [&](Tally& tally) {
        tally.live_blocks -= change.blocks;
        tally.live_bytes -= change.bytes;
        if (is_fresh) {
            tally.fresh_blocks -= change.blocks;
            tally.fresh_bytes -= change.bytes;
            tally.totals.temporary += is_temporary;
        }
        if (is_open() && !change.is_group) tally.totals.frees += change.blocks;
    };
    change_each(change, count);
    count(all_);
}

void PhaseSites::finish(Space& space, const std::vector<std::string>& labels, uint64_t& peak_time) {
    sites_.resize(space.sites.size());
    labels_.resize(labels.size());
    // A phase is treated as if it were the whole recording: the work ends when the phase ends.
    if (work_end_ == 0) end_work();
    for (Tally& tally : sites_) look(tally);
    for (Tally& tally : labels_) look(tally);
    look(all_);
    peak_time = peak_time_;
    space.totals = all_.totals;
    for (size_t i = 0; i < sites_.size(); ++i) space.sites.set_totals(i, sites_[i].totals);
    space.classes.clear();
    for (size_t i = 0; i < labels_.size(); ++i) {
        if (!is_idle(labels_[i].totals)) space.classes[labels[i]] = labels_[i].totals;
    }
}

}  // namespace memtrace::analyzer
