// SPDX-License-Identifier: Apache-2.0
//
// Determines in one pass what each site held when the space was at its peak.
//
// Copying all sites at every new peak would cost sites * peaks, and a growing program reaches a
// new peak with each allocation. But a site's figure at the peak can only be lost when the site
// changes afterwards. So a new peak only increments a number. Before a site changes, it checks if
// this number has changed since its last check. If so, its current figure is its figure at the
// peak.
//
//   events            +10 A   +5 B    -10 A    +20 B    -20 B
//   held              10      15      5        25       5
//   peak number       1       2       2        3        3
//   check of A                        saw 1: at peak 2 it held 10
//   check of B                                 saw 2*   saw 2: at peak 3 it held 25
//                                     (* peak 2 was B's own: it held 5 there)
//   at the end        A checks once more: at peak 3 it held 0. B: 25.
//
// Of equal peaks the first counts. The end of the program's work and the ends of slices
// (site_history.h) are moments like a peak. They increment the same number, so one check of a site
// finds all of them. Invariant: for every field of Totals except own_peak_bytes, the sum over the
// sites equals the figure of the space.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/long_list.h"
#include "analyzer/base/number_hash.h"
#include "analyzer/model/model.h"
#include "analyzer/spaces/space_history.h"
#include "analyzer/spaces/space_observer.h"
#include "analyzer/spaces/tally.h"
#include "analyzer/spaces/unsure_blocks.h"

namespace memtrace::analyzer {

// Set in the `backward` of an acquisition whose thread the reader of the dump left out
// (LoadOptions::threads). The sites of such acquisitions are separate.
inline constexpr uint32_t left_out_bit = 0x80000000;

class SpaceCounter {
public:
    explicit SpaceCounter(std::string name) : name_(std::move(name)) {}

    // Returns the index of the site with this stack and this autograd node, and adds the site if
    // it is new. The index stays valid.
    uint32_t site_of(uint32_t stack, uint32_t backward = 0) {
        if (backward == 0 && stack < direct_.size()) [[likely]] {
            if (const uint32_t site = direct_[stack]; site != no_site) [[likely]]
                return site;
        }
        uint32_t& site = any_site(stack, backward);
        if (site == no_site) site = add_site(stack, backward);
        return site;
    }

    // These prefetch what an event touches that follows soon: the number of its stack's site, then
    // the site.
    [[gnu::always_inline]] void soon_number(uint32_t stack) const {
        if (stack < direct_.size()) __builtin_prefetch(&direct_[stack]);
    }
    [[gnu::always_inline]] void soon(uint32_t stack) const {
        if (stack < direct_.size() && direct_[stack] != no_site) soon_at(direct_[stack]);
    }
    [[gnu::always_inline]] void soon_at(uint32_t site) const {
        if (!has_figures_) return;
        __builtin_prefetch(&seen_[site], 1);
        sites_.soon(site);
    }

    // `label` is an index from add_label(), or no_label. A sampled block stands for several
    // blocks.
    void acquire(uint32_t site, uint64_t bytes, uint64_t time, uint32_t label = no_label,
                 uint64_t blocks = 1) {
        if (has_figures_) [[likely]] {
            look(site);
            sites_.acquire(site, bytes, blocks);
        }
        if (label != no_label) {
            labels_[label].look(moments_);
            labels_[label].acquire(bytes, blocks);
        }
        all_.acquire(bytes, blocks);
        if (all_.totals.live_bytes > peak_bytes_) new_peak(time);
        if (history_ != nullptr) [[unlikely]]
            history_->acquired(site, bytes, blocks, blocks, bytes);
        if (observer_ != nullptr) [[unlikely]] {
            observer_->add({site, label, bytes, blocks, newest()}, bytes, time);
        }
    }

    // `number`: the value of newest() after the acquisition.
    void release(uint32_t site, uint64_t bytes, bool temporary, uint64_t number,
                 uint32_t label = no_label, uint64_t blocks = 1) {
        if (has_figures_) [[likely]] {
            look(site);
            sites_.release(site, bytes, temporary, blocks);
        }
        if (label != no_label) {
            labels_[label].look(moments_);
            labels_[label].release(bytes, temporary, blocks);
        }
        all_.release(bytes, temporary, blocks);
        unsure_.settle(number, bytes, blocks);
        if (history_ != nullptr) [[unlikely]]
            history_->released(site, bytes, blocks, number);
        if (observer_ != nullptr) [[unlikely]] {
            observer_->take({site, label, bytes, blocks, number}, temporary);
        }
    }

    // Part of a block was released; the block lives on.
    void shrink(uint32_t site, uint64_t bytes, uint64_t number, uint32_t label) {
        look(site);
        sites_.shrink(site, bytes);
        labels_[label].look(moments_);
        labels_[label].totals.live_bytes -= bytes;
        all_.totals.live_bytes -= bytes;
        unsure_.settle(number, bytes, 0);
        if (history_ != nullptr) history_->released(site, bytes, 0, number);
        if (observer_ != nullptr) observer_->take({site, label, bytes, 0, number}, false);
    }

    // A group's block (gpu_space.h). No call acquires it: it is held, and counts as no allocation.
    // Growth without a number is new to the space and gets one. `allocated`: the part of it that
    // counts as allocated. begin_group() and grow() return the number.
    uint64_t begin_group(uint32_t site, uint32_t label, uint64_t time);
    void end_group(uint32_t site, uint32_t label, uint64_t number);
    uint64_t grow(ObservedChange growth, uint64_t allocated, uint64_t time);
    void shrink_group(const ObservedChange& part);

    // Returns the number of the newest acquisition, which its block must keep.
    uint64_t newest() const { return all_.totals.allocations + grown_; }

    // Blocks may go without a record from here on, or may have gone until here.
    void doubt_all(bool goes_on) { unsure_.doubt_all(newest(), all_.totals, goes_on); }
    const UnsureBlocks& unsure() const { return unsure_; }

    // Passes every change to `observer`. One that comes after the first event must be told what is
    // alive: while it is the listener, add_birth() tells it, and not the histories.
    void set_observer(SpaceObserver* observer) { observer_ = observer; }
    SpaceObserver* observer() const { return observer_; }
    void set_listener(SpaceObserver* listener) { listener_ = listener; }

    // Marks the end of the program's work. The last call counts.
    void end_work() {
        moments_.work_end = ++moments_.newest;
        all_.totals.held_blocks = all_.totals.live_blocks;
        all_.totals.held_bytes = all_.totals.live_bytes;
    }

    // Its place among the histories of the run; 0 without a history.
    uint32_t history_index() const { return history_ == nullptr ? 0 : history_->index(); }

    // Marks the middle of the recording.
    void pass_half() {
        moments_.half = ++moments_.newest;
        all_.totals.half_bytes = all_.totals.live_bytes;
    }

    // Keeps the history of each site. Call before the first event.
    void keep_history(RunHistory& run) { history_ = std::make_unique<SpaceHistory>(run); }

    // Cuts the run where these last changes (of all spaces) began, if there is a history.
    void end_slice(uint32_t cut, std::span<const HeldChange> since) {
        if (history_ == nullptr) return;
        const SpaceHistory::Changes changes = history_->changes_of(since);
        // No slice has ended since these sites changed, so look() finds no more than a peak.
        for (const SpaceHistory::Change& change : changes.sites) look(change.site);
        moments_.slice_end = ++moments_.newest;
        for (const SpaceHistory::Change& change : changes.sites) {
            history_->add_point_at(cut, change.site, change.before(sites_.totals(change.site)));
            seen_[change.site] = moments_.newest;
        }
        history_->end_slice(cut, moments_.newest, newest() - changes.all.numbers,
                            changes.all.before(all_.totals));
    }

    // Counts a block that is alive now for the histories. It was acquired when newest() returned
    // `number`.
    void add_birth(uint32_t site, uint64_t number, uint64_t bytes, uint64_t blocks = 1,
                   uint32_t label = no_label) {
        if (listener_ != nullptr) return listener_->add({site, label, bytes, blocks, number}, 0, 0);
        if (history_ != nullptr) history_->add_birth(site, number, bytes, blocks);
    }

    // False: only the observer counts. The sites have no figures, and there must be no finish().
    void keep_figures(bool keep) { has_figures_ = keep; }

    // Adds a class of bytes within the space and returns its index.
    uint32_t add_label(std::string name) {
        label_names_.push_back(std::move(name));
        labels_.emplace_back();
        return static_cast<uint32_t>(labels_.size() - 1);
    }

    const std::string& name() const { return name_; }
    bool empty() const { return sites_.empty(); }
    uint64_t peak_time() const { return peak_time_; }
    uint64_t peak_bytes() const { return peak_bytes_; }
    bool has_work_ended() const { return moments_.work_end != 0; }
    const Totals& label_totals(uint32_t label) const { return labels_[label].totals; }
    // The same with what it held at the peak of the space so far.
    Totals label_totals_at_peak(uint32_t label) const {
        Tally tally = labels_[label];
        tally.look(moments_);
        return tally.totals;
    }
    size_t label_count() const { return labels_.size(); }
    const Totals& totals() const { return all_.totals; }
    Totals totals_at_peak() const {
        Totals totals = all_.totals;
        totals.at_peak_blocks = peak_blocks_;
        totals.at_peak_bytes = peak_bytes_;
        return totals;
    }
    uint32_t stack_of(uint32_t site) const { return sites_.stack(site); }
    size_t site_count() const { return sites_.size(); }
    // A block of the site is lost. Call just before finish().
    void count_lost(uint32_t site, LostKind kind, uint64_t bytes) {
        Totals totals = sites_.totals(site);
        add_lost(totals, kind, bytes);
        add_lost(all_.totals, kind, bytes);
        sites_.set_totals(site, totals);
    }
    Totals site_totals(uint32_t site) const { return sites_.totals(site); }

    // Returns the result. The caller has the clock and must set peak_time_ns.
    Space finish() {
        Space space;
        space.name = name_;
        space.totals = totals_at_peak();
        space.unsure_bytes = std::min(unsure_.bytes(), space.totals.live_bytes);
        space.unsure_blocks = std::min(unsure_.blocks(), space.totals.live_blocks);
        space.unsure_at_peak_bytes = unsure_.bytes_at_peak();
        look_at_all();
        space.sites = std::move(sites_);
        if (has_left_out_) {
            left_out_.resize(space.sites.size());
            space.left_out = std::move(left_out_);
        }
        forget_sites();
        // The invariant of model.h. No input can break it.
        assert(adds_up(space.sites, space.totals));
        for (size_t i = 0; i < labels_.size(); ++i) {
            labels_[i].look(moments_);
            if (labels_[i].totals.allocations > 0 || labels_[i].totals.own_peak_bytes > 0)
                space.classes[label_names_[i]] = labels_[i].totals;
        }
        if (observer_ != nullptr) observer_->finish(space, label_names_, peak_time_);
        if (history_ != nullptr) history_->finish(space);
        return space;
    }

    // archive.h
    static void state(auto& self, auto& each) {
        constexpr bool reads = std::remove_reference_t<decltype(each)>::reads;
        if constexpr (!reads) self.look_at_all();
        each(self.all_, self.grown_, self.moments_, self.peak_bytes_, self.peak_blocks_,
             self.peak_time_, self.unsure_, self.sites_, self.labels_, self.label_names_,
             self.history_);
        each.check([&] { return self.labels_.size() == self.label_names_.size(); },
                   "a class in it has no name");
        each.check([&] { return adds_up(self.sites_, self.totals_at_peak()); },
                   "its call sites do not add up");
        if constexpr (reads) self.number_sites();
    }
    // True if all of its sites have one of the first `count` backward nodes.
    bool has_backward_below(uint64_t count) const {
        bool is_below = true;
        for (size_t i = 0; i < sites_.size(); ++i) is_below &= sites_.backward(i) < count;
        return is_below;
    }
    bool has_label(uint32_t label) const { return label < labels_.size(); }
    // True if a block of this site and label can be one of this space.
    bool has(uint32_t site, uint32_t label = no_label) const {
        return site < sites_.size() && (label == no_label || label < labels_.size());
    }

    static constexpr uint32_t no_label = 0xffffffff;

private:
    // Ids are dense in sound dumps. A damaged id must not make the table take 16 GiB.
    static constexpr uint32_t direct_length = 1u << 24;
    static constexpr size_t stacks_a_site_max = 64;
    static constexpr uint32_t no_site = 0xffffffff;

    // The direct table takes four bytes for each stack of the recording, so it needs enough sites.
    size_t direct_max() const {
        return std::min<size_t>(direct_length, (sites_.size() + 256) * stacks_a_site_max);
    }

    uint32_t& direct_site(uint32_t stack) {
        direct_.grow_to(size_t{stack} + 1, no_site);
        return direct_[stack];
    }
    uint32_t& sparse_site(uint32_t stack, uint32_t backward) {
        if (backward == 0) last_sparse_ = std::max(last_sparse_, stack);
        return sparse_.try_emplace(uint64_t{backward} << 32 | stack, no_site).first.value();
    }

    // Sites that came when there were few are in the sparse table.
    uint32_t& any_site(uint32_t stack, uint32_t backward) {
        if (backward != 0 || stack >= direct_max()) return sparse_site(stack, backward);
        if (stack <= last_sparse_) {
            const auto found = sparse_.find(stack);
            if (found != sparse_.end()) return found.value();
        }
        return direct_site(stack);
    }

    uint32_t add_site(uint32_t stack, uint32_t backward) {
        const bool is_left_out = (backward & left_out_bit) != 0;
        has_left_out_ |= is_left_out;
        if (has_left_out_) {
            left_out_.resize(sites_.size());
            left_out_.push_back(is_left_out);
        }
        sites_.push_back(stack, backward & ~left_out_bit);
        seen_.push_back(0);
        return static_cast<uint32_t>(sites_.size() - 1);
    }

    void look_at_all() {
        for (uint32_t site = 0; site < sites_.size(); ++site) look(site);
    }
    // Makes what is known of each site but its figures.
    void number_sites() {
        seen_ = LongList<uint64_t>(sites_.size(), moments_.newest);
        for (uint32_t site = 0; site < sites_.size(); ++site) {
            const uint32_t stack = sites_.stack(site), backward = sites_.backward(site);
            if (backward == 0 && stack < direct_max()) direct_site(stack) = site;
            else sparse_site(stack, backward) = site;
        }
    }

    // Frees what only further events would need.
    void forget_sites() {
        seen_ = {};
        direct_ = {};
        sparse_ = {};
    }

    [[gnu::always_inline]] void look(uint32_t site) {
        const uint64_t seen = seen_[site];
        if (seen == moments_.newest) [[likely]]
            return;
        sites_.keep(site, seen < moments_.peak, seen < moments_.work_end, seen < moments_.half);
        seen_[site] = moments_.newest;
        if (seen < moments_.slice_end) [[unlikely]]
            history_->add_point(site, seen, sites_.totals(site));
    }

    void count_group_block(uint32_t site, uint32_t label, uint64_t more);

    void new_peak(uint64_t time) {
        moments_.peak = ++moments_.newest;
        peak_bytes_ = all_.totals.live_bytes;
        peak_blocks_ = all_.totals.live_blocks;
        peak_time_ = time;
        unsure_.come_to_peak();
    }

    std::string name_;
    Tally all_;
    SpaceObserver* observer_ = nullptr;
    SpaceObserver* listener_ = nullptr;
    uint64_t grown_ = 0;  // numbers that groups' blocks and their growth have
    Moments moments_;
    bool has_figures_ = true;                // of sites
    std::unique_ptr<SpaceHistory> history_;  // nullptr: not requested
    uint64_t peak_bytes_ = 0;
    uint64_t peak_blocks_ = 0;
    uint64_t peak_time_ = 0;
    UnsureBlocks unsure_;
    Sites sites_;
    LongList<uint64_t> seen_;     // of each site, as Tally::seen
    std::vector<bool> left_out_;  // by site; shorter if the last sites are not
    bool has_left_out_ = false;
    std::vector<Tally> labels_;
    std::vector<std::string> label_names_;
    LongList<uint32_t> direct_;  // by stack
    // By stack and backward: of backward nodes, and while there were few sites.
    tsl::robin_map<uint64_t, uint32_t, NumberHash> sparse_;
    uint32_t last_sparse_ = 0;  // the greatest stack without a backward in it
};

}  // namespace memtrace::analyzer
