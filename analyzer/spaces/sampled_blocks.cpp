// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/sampled_blocks.h"

#include <algorithm>
#include <cmath>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {

double SampledBlocks::weight_of(uint64_t size, uint64_t interval) {
    if (interval == 0) return 1;
    const double bytes = static_cast<double>(std::max<uint64_t>(size, 1));
    return -1 / std::expm1(-bytes / static_cast<double>(interval));
}

SampledBlocks::Weight SampledBlocks::weigh(uint64_t size, uint64_t interval, SizeBudget& sizes) {
    const double weight = weight_of(size, interval);
    left_over_ += weight;
    const auto blocks = static_cast<uint64_t>(left_over_);
    left_over_ -= static_cast<double>(blocks);
    return {blocks, sizes.take(saturating_whole(std::round(weight * static_cast<double>(size))))};
}

void SampledBlocks::close(const Block& block) {
    counter_.release(block.site, block.weight.bytes, false, block.number, SpaceCounter::no_label,
                     block.weight.blocks);
}

HeapSpace::Fault SampledBlocks::acquire(const Acquire& record, Weight weight, uint32_t backward) {
    sampled_ += 1;
    Fault fault = exact_.live_count() != 0 ? exact_.drop(record.address) : Fault::none;
    const Block block{weight, counter_.site_of(record.stack, backward),
                      counter_.newest() + weight.blocks};
    const auto [entry, is_new] = blocks_.try_emplace(record.address, block);
    if (!is_new) {
        if (!counter_.unsure().may_be_gone(entry->second.number))
            fault = Fault::acquired_while_live;
        close(entry->second);
        entry.value() = block;
    }
    counter_.acquire(block.site, weight.bytes, record.time, SpaceCounter::no_label, weight.blocks);
    if (block.site >= bytes_of_sites_.size()) bytes_of_sites_.resize(size_t{block.site} + 1);
    bytes_of_sites_[block.site] += weight.bytes;
    return fault;
}

HeapSpace::Fault SampledBlocks::release(uint64_t address, uint32_t thread) {
    const auto entry = blocks_.find(address);
    if (entry == blocks_.end()) return exact_.release(address, thread);
    const Block block = entry->second;
    blocks_.erase(entry);
    close(block);
    return Fault::none;
}

HeapSpace::Fault SampledBlocks::make_way(uint64_t address) {
    const auto entry = blocks_.find(address);
    if (entry == blocks_.end()) return Fault::none;
    const Block block = entry->second;
    blocks_.erase(entry);
    const bool may_be_gone = counter_.unsure().may_be_gone(block.number);
    close(block);
    return may_be_gone ? Fault::none : Fault::acquired_while_live;
}

void SampledBlocks::count_births() {
    for (const auto& [address, block] : blocks_) {
        counter_.add_birth(block.site, block.number, block.weight.bytes, block.weight.blocks);
    }
}

void SampledBlocks::describe(Space& space, const TickClock& clock) const {
    space.is_estimate = is_sample();
    space.sample_interval = intervals_.longest();
    space.sampled = sampled_;
    if (!intervals_.turned()) return;
    space.exact_until_ns = clock.ns(*intervals_.turned());
    space.estimated_bytes = bytes_of_sites_;
    space.estimated_bytes.resize(space.sites.size());
}

}  // namespace memtrace::analyzer
