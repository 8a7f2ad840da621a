// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/space_watcher.h"

#include <algorithm>
#include <numeric>

namespace memtrace::analyzer {

namespace {

const std::vector<bool> no_sites;

}  // namespace

SpaceWatcher::SpaceWatcher(const std::string& name, const Place& place, SpaceObserver* next)
    : place_(place), next_(next), lives_(place.request) {
    const auto& sites = place.request.sites;
    if (!sites.empty()) {
        const auto found = sites.find(name);
        sites_ = found == sites.end() ? &no_sites : &found->second;
    }
    if (place.request.threads) threads_.emplace(place.is_range);
    if (place.request.largest && !place.is_range) largest_.emplace();
}

void SpaceWatcher::open(uint64_t time) {
    is_open_ = true;
    newest_before_ = newest_;
    if (place_.request.curves && !has_curve_) curve_.begin(time, live_bytes_);
    has_curve_ = true;
    if (threads_) threads_->open(time);
    if (largest_) largest_->begin(time);
}

// What is alive now was alive at the end of what counts.
void SpaceWatcher::close(uint64_t time) {
    is_open_ = false;
    if (place_.request.curves) curve_.end(time);
    if (threads_) threads_->close();
    births_.for_each([this](uint64_t, Birth& birth) {
        if (largest_) largest_->alive({birth.time, 0, birth.bytes_left, birth.site});
        if (birth.is_fresh) lives_.alive(birth.site, birth.sum);
        birth.is_fresh = false;
    });
}

void SpaceWatcher::end_work() {
    if (threads_) threads_->end_work();
}

void SpaceWatcher::hold(uint32_t site, uint64_t bytes, uint64_t time) {
    if (!place_.request.curves || !counts(site)) return;
    live_bytes_ += bytes;
    if (is_open_) curve_.change(time, live_bytes_);
}

LifeLength SpaceWatcher::length_of(const Birth& birth) const {
    LifeLength length;
    length.events = place_.position.events() - birth.event;
    if (place_.clock == nullptr) return length;
    const uint64_t now = place_.clock->ns(place_.position.time());
    length.time_ns = now - std::min(now, place_.clock->ns(birth.time));
    return length;
}

void SpaceWatcher::acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) {
    if (next_ != nullptr) next_->add(change, allocated_bytes, time);
    hold(change.site, change.bytes, time);
    newest_ = std::max(newest_, change.number);
    if (change.is_group) return grow_group(change, allocated_bytes, time);
    if (!place_.request.lives && !place_.request.bars && !threads_ && !largest_) return;
    Birth birth{time,
                place_.position.events(),
                {change.blocks, allocated_bytes},
                change.bytes,
                change.site,
                0,
                0,
                is_open_,
                true};
    if (threads_) {
        birth.pair = threads_->pair(place_.position.thread(), change.site);
        birth.number_of_pair = threads_->acquire(birth.pair, change.bytes, change.blocks, time);
    }
    if (Birth* const known = births_.insert(change.number, birth)) *known = birth;
}

void SpaceWatcher::released(const ObservedChange& change, bool is_temporary) {
    if (next_ != nullptr) next_->take(change, is_temporary);
    hold(change.site, uint64_t{0} - change.bytes, place_.position.time());
    if (change.is_group) return shrink_group(change);
    Birth* const found = births_.find(change.number);
    if (found == nullptr) return;
    Birth& birth = *found;
    birth.bytes_left -= std::min(birth.bytes_left, change.bytes);
    if (threads_) {
        threads_->release(birth.pair, {change.blocks, change.bytes}, birth.number_of_pair,
                          is_temporary, place_.position.thread());
    }
    if (largest_) {
        largest_->ended({birth.time, place_.position.time(), change.bytes, birth.site});
    }
    if (!has_ended(change, birth)) return;
    if (birth.is_fresh) {
        lives_.ended(birth.site, birth.sum, is_temporary, length_of(birth));
    }
    births_.erase(found);
}

// A part belongs to the thread that was running when the driver took it from the device, also
// after blocks had it.
void SpaceWatcher::grow_group(const ObservedChange& change, uint64_t allocated_bytes,
                              uint64_t time) {
    if (!threads_) return;
    const auto [at, is_new] = group_parts_.try_emplace(change.number);
    GroupPart& part = at->second;
    if (is_new) {
        part.pair = threads_->pair(place_.position.thread(), change.site);
        const bool is_older = change.is_moved && change.number <= newest_before_;
        part.number_of_pair = is_older ? ThreadShares::oldest : 0;
    }
    part.number_of_pair =
        threads_->grow_group(part.pair, change, part.number_of_pair, allocated_bytes, time);
    part.bytes += change.bytes;
    if (change.is_moved) part.moved -= std::min(part.moved, change.bytes);
}

void SpaceWatcher::shrink_group(const ObservedChange& change) {
    const auto found = group_parts_.find(change.number);
    if (found == group_parts_.end()) return;
    GroupPart& part = found->second;
    threads_->shrink_group(part.pair, change, part.number_of_pair);
    part.bytes -= std::min(part.bytes, change.bytes);
    if (change.is_moved) part.moved += change.bytes;
    if (part.bytes == 0 && part.moved == 0) group_parts_.erase(found);
}

void SpaceWatcher::finish(Space& space, const std::vector<std::string>& labels,
                          uint64_t& peak_time) {
    if (next_ != nullptr) next_->finish(space, labels, peak_time);
    space.numbers.resize(space.sites.size());
    std::iota(space.numbers.begin(), space.numbers.end(), 0u);
}

SpaceWatch SpaceWatcher::take_result(const TickClock& clock) {
    SpaceWatch watch;
    if (place_.request.curves && has_curve_) watch.curve = curve_.finish(clock);
    lives_.finish(watch);
    if (threads_) watch.shares = threads_->finish();
    if (largest_) watch.largest = largest_->finish(clock);
    return watch;
}

}  // namespace memtrace::analyzer
