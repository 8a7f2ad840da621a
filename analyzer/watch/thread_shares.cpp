// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/thread_shares.h"

#include <utility>

namespace memtrace::analyzer {

ThreadShares::ThreadShares(bool is_range) {
    label_ = counter_.add_label("all");
    if (!is_range) return;
    range_ = std::make_unique<PhaseSites>();
    counter_.set_observer(range_.get());
}

void ThreadShares::open(uint64_t time) {
    is_open_ = true;
    if (range_ != nullptr) range_->open(time);
}

void ThreadShares::close() {
    is_open_ = false;
    if (range_ != nullptr) range_->close();
}

void ThreadShares::end_work() {
    counter_.end_work();
    if (range_ != nullptr) range_->end_work();
}

uint32_t ThreadShares::pair(uint32_t thread, uint32_t site) {
    const auto next = static_cast<uint32_t>(pairs_.size());
    const auto [number, is_new] = numbers_.try_emplace(site, thread, next);
    if (!is_new) return number;
    pairs_.push_back({thread, site, {}});
    return counter_.site_of(next);  // The sites of the counter have the same numbers.
}

uint64_t ThreadShares::acquire(uint32_t pair, uint64_t bytes, uint64_t blocks, uint64_t time) {
    counter_.acquire(pair, bytes, time, label_, blocks);
    return counter_.newest();
}

uint64_t ThreadShares::grow_group(uint32_t pair, const ObservedChange& change, uint64_t number,
                                  uint64_t allocated, uint64_t time) {
    if (change.blocks != 0) return counter_.begin_group(pair, label_, time);
    return counter_.grow({pair, label_, change.bytes, 0, number, true, change.is_moved}, allocated,
                         time);
}

void ThreadShares::shrink_group(uint32_t pair, const ObservedChange& change, uint64_t number) {
    if (change.blocks != 0) return counter_.end_group(pair, label_, number);
    counter_.shrink_group({pair, label_, change.bytes, 0, number, true, change.is_moved});
}

void ThreadShares::release(uint32_t pair, const BlockSum& freed, uint64_t number, bool is_temporary,
                           uint32_t by_thread) {
    if (freed.blocks == 0) return counter_.shrink(pair, freed.bytes, number, label_);
    counter_.release(pair, freed.bytes, is_temporary, number, label_, freed.blocks);
    ShareList::Pair& of = pairs_[pair];
    if (is_open_ && of.thread != by_thread) of.freed_by_others.add(freed);
}

ShareList ThreadShares::finish() {
    Space space = counter_.finish();
    return {std::move(pairs_), std::move(space.sites)};
}

}  // namespace memtrace::analyzer
