// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/largest_blocks.h"

#include <algorithm>
#include <tuple>

namespace memtrace::analyzer {

namespace {

// The order is total but for equal lives, so that the choice depends on nothing else.
bool is_larger(const BlockLife& a, const BlockLife& b) {
    return std::tuple(b.bytes, a.begin, a.end, a.site) <
           std::tuple(a.bytes, b.begin, b.end, b.site);
}

}  // namespace

LargestBlocks::Slices LargestBlocks::slices_of(const BlockLife& life) const {
    const auto slice = [this](uint64_t time) {
        return static_cast<size_t>((std::max(time, begin_) - begin_) >> width_bits_);
    };
    return {slice(life.begin), life.is_alive ? slices_max - 1 : slice(life.end)};
}

bool LargestBlocks::is_small(const BlockLife& life) const {
    const auto [first, last] = slices_of(life);
    return std::all_of(largest_.begin() + static_cast<ptrdiff_t>(first),
                       largest_.begin() + static_cast<ptrdiff_t>(last) + 1,
                       [&](const std::vector<BlockLife>& of) {
                           return of.size() == of_slice && !is_larger(life, of.front());
                       });
}

void LargestBlocks::put_into_slices(const BlockLife& life) {
    const auto [first, last] = slices_of(life);
    for (size_t slice = first; slice <= last; ++slice) {
        std::vector<BlockLife>& of = largest_[slice];
        if (of.size() == of_slice) {
            if (!is_larger(life, of.front())) continue;
            std::pop_heap(of.begin(), of.end(), is_larger);
            of.pop_back();
        }
        of.push_back(life);
        std::push_heap(of.begin(), of.end(), is_larger);
    }
}

void LargestBlocks::add(const BlockLife& life) {
    if (is_small(life)) return;
    put_into_slices(life);
    lives_.push_back(life);
    if (lives_.size() >= waiting_max) prune();
}

void LargestBlocks::ended(const BlockLife& life) {
    bool is_wider = false;
    const auto has_slices = [&] {
        const auto [first, last] = slices_of(life);
        return first < slices_max && last < slices_max;
    };
    for (; !has_slices(); is_wider = true) ++width_bits_;
    if (is_wider) prune();
    add(life);
}

void LargestBlocks::alive(BlockLife life) {
    life.is_alive = true;
    ended(life);
}

void LargestBlocks::prune() {
    std::sort(lives_.begin(), lives_.end(), is_larger);
    for (std::vector<BlockLife>& of : largest_) of.clear();
    std::erase_if(lives_, [&](const BlockLife& life) {
        if (is_small(life)) return true;
        put_into_slices(life);
        return false;
    });
}

std::vector<BlockLife> LargestBlocks::finish(const TickClock& clock) {
    prune();
    for (BlockLife& life : lives_) {
        life.begin = clock.ns(life.begin);
        life.end = life.is_alive ? 0 : clock.ns(life.end);
    }
    std::sort(lives_.begin(), lives_.end(), [](const BlockLife& a, const BlockLife& b) {
        return std::tuple(a.begin, a.end, a.site, a.bytes) <
               std::tuple(b.begin, b.end, b.site, b.bytes);
    });
    return std::move(lives_);
}

}  // namespace memtrace::analyzer
