// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/life_table.h"

#include <utility>

namespace memtrace::analyzer {
namespace {

// Sites are numbered as they come up.
SiteLives& of_site(std::vector<SiteLives>& lives, uint32_t site) {
    if (site >= lives.size()) lives.resize(size_t{site} + 1);
    return lives[site];
}

}  // namespace

LifeBar& LifeTable::bar(LifeScale scale, uint64_t value, uint32_t site) {
    const uint32_t bin = bin_of(scale, value);
    const uint32_t scale_and_bin = static_cast<uint32_t>(scale) << 12 | bin;
    const auto next = static_cast<uint32_t>(bars_.size());
    const auto [place, is_new] = places_.try_emplace(site, scale_and_bin, next);
    if (is_new) bars_.push_back({scale, bin, site, {}, {}});
    return bars_[place];
}

// A block that stands for several is of the size of one of them.
void LifeTable::add_size(uint32_t site, const BlockSum& sum, BlockSum LifeBar::*part) {
    const uint64_t size = sum.blocks == 0 ? sum.bytes : sum.bytes / sum.blocks;
    (bar(LifeScale::size, size, site).*part).add(sum);
}

bool LifeTable::is_brief(const LifeLength& length) const {
    return (request_.events_max != 0 && length.events <= request_.events_max) ||
           (request_.time_max_ns != 0 && length.time_ns <= request_.time_max_ns);
}

void LifeTable::ended(uint32_t site, const BlockSum& sum, bool is_temporary,
                      const LifeLength& length) {
    if (request_.lives) {
        SiteLives& lives = of_site(lives_, site);
        lives.all.add(sum);
        if (is_temporary) lives.temporary.add(sum);
        if (is_brief(length)) lives.brief.add(sum);
    }
    if (!request_.bars) return;
    add_size(site, sum, &LifeBar::ended);
    bar(LifeScale::time, length.time_ns, site).ended.add(sum);
    bar(LifeScale::events, length.events, site).ended.add(sum);
}

void LifeTable::alive(uint32_t site, const BlockSum& sum) {
    if (request_.lives) {
        SiteLives& lives = of_site(lives_, site);
        lives.all.add(sum);
        lives.alive.add(sum);
    }
    if (request_.bars) add_size(site, sum, &LifeBar::alive);
}

void LifeTable::finish(SpaceWatch& watch) {
    watch.lives = std::move(lives_);
    watch.bars = std::move(bars_);
}

}  // namespace memtrace::analyzer
