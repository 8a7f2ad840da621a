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
}

void SpaceWatcher::open(uint64_t time) {
    is_open_ = true;
    if (place_.request.curves && !has_curve_) curve_.begin(time, live_bytes_);
    has_curve_ = true;
    if (threads_) threads_->open(time);
}

// What is alive now was alive at the end of what counts.
void SpaceWatcher::close(uint64_t time) {
    is_open_ = false;
    if (place_.request.curves) curve_.end(time);
    if (threads_) threads_->close();
    for (const auto& [number, at] : places_) {
        Birth& birth = births_[at];
        if (birth.is_fresh) lives_.alive(birth.site, birth.sum);
        birth.is_fresh = false;
    }
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
    if (!place_.request.lives && !place_.request.bars && !threads_) return;
    Birth birth{time,
                place_.position.events(),
                {change.blocks, allocated_bytes},
                change.bytes,
                change.site,
                0,
                0,
                is_open_};
    if (threads_) {
        birth.pair = threads_->pair(place_.position.thread(), change.site);
        birth.number_of_pair =
            threads_->acquire(birth.pair, change.bytes, change.blocks, allocated_bytes, time);
    }
    keep(change.number, birth);
}

void SpaceWatcher::keep(uint64_t number, const Birth& birth) {
    const bool has_free = !free_births_.empty();
    const uint32_t next = has_free ? free_births_.back() : static_cast<uint32_t>(births_.size());
    const auto [found, is_new] = places_.try_emplace(number, next);
    if (is_new && has_free) free_births_.pop_back();
    if (is_new && !has_free) births_.push_back(birth);
    else births_[found->second] = birth;
}

void SpaceWatcher::released(const ObservedChange& change, bool is_temporary) {
    if (next_ != nullptr) next_->take(change, is_temporary);
    hold(change.site, uint64_t{0} - change.bytes, place_.position.time());
    const auto found = places_.find(change.number);
    if (found == places_.end()) return;
    Birth& birth = births_[found->second];
    birth.bytes_left -= std::min(birth.bytes_left, change.bytes);
    if (threads_) {
        threads_->release(birth.pair, {change.blocks, change.bytes}, birth.number_of_pair,
                          is_temporary, place_.position.thread());
    }
    if (!has_ended(change, birth)) return;
    if (birth.is_fresh) {
        lives_.ended(birth.site, birth.sum, is_temporary, length_of(birth));
    }
    free_births_.push_back(found->second);
    places_.erase(found);
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
    return watch;
}

}  // namespace memtrace::analyzer
