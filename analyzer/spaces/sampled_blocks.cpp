// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/sampled_blocks.h"

#include <algorithm>
#include <cmath>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {

void SampledBlocks::set_interval(uint64_t interval) {
    // One recording has one interval. A later record in a damaged dump must not mix two intervals.
    if (counter_.empty()) interval_ = std::min(interval, interval_max);
}

double SampledBlocks::weight_of(uint64_t size, uint64_t interval) {
    if (interval == 0) return 1;
    const double bytes = static_cast<double>(std::max<uint64_t>(size, 1));
    return -1 / std::expm1(-bytes / static_cast<double>(interval));
}

SampledBlocks::Weight SampledBlocks::weigh(uint64_t size, SizeBudget& sizes) {
    const double weight = weight_of(size, interval_);
    left_over_ += weight;
    const auto blocks = static_cast<uint64_t>(left_over_);
    left_over_ -= static_cast<double>(blocks);
    return {blocks, sizes.take(saturating_whole(std::round(weight * static_cast<double>(size))))};
}

HeapSpace::Fault SampledBlocks::acquire(const Acquire& record, Weight weight, uint32_t backward) {
    sampled_ += 1;
    const Block block{weight, counter_.site_of(record.stack, backward),
                      counter_.newest() + weight.blocks};
    const auto [entry, is_new] = blocks_.try_emplace(record.address, block);
    if (!is_new) {
        const Block old = entry->second;
        counter_.release(old.site, old.weight.bytes, false, old.number, SpaceCounter::no_label,
                         old.weight.blocks);
        entry.value() = block;
    }
    counter_.acquire(block.site, weight.bytes, record.time, SpaceCounter::no_label, weight.blocks);
    return is_new ? Fault::none : Fault::acquired_while_live;
}

HeapSpace::Fault SampledBlocks::release(uint64_t address) {
    const auto entry = blocks_.find(address);
    if (entry == blocks_.end()) return Fault::released_while_not_live;
    const Block block = entry->second;
    counter_.release(block.site, block.weight.bytes, false, block.number, SpaceCounter::no_label,
                     block.weight.blocks);
    blocks_.erase(entry);
    return Fault::none;
}

void SampledBlocks::count_births() {
    for (const auto& [address, block] : blocks_) {
        counter_.add_birth(block.site, block.number, block.weight.bytes, block.weight.blocks);
    }
}

}  // namespace memtrace::analyzer
