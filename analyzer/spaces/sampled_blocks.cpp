// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/sampled_blocks.h"

#include <algorithm>
#include <cmath>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {
namespace {

// Looks like chance. Numbers that follow each other must not take turns at what they decide: the
// halves would not be independent.
uint64_t mixed(uint64_t address, uint64_t number) {
    uint64_t word = address * 0x9e3779b97f4a7c15u + number;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

// Other estimates that a report shows beside the peak of a space. It is not below them, so that
// nobody reads of a peak that is less than what was held.
uint64_t most_shown(const Totals& totals) {
    return std::max({totals.live_bytes, totals.held_bytes, totals.half_bytes});
}

}  // namespace

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

// The sample has every byte with a chance of 1 in `interval`, and each half of it with a chance of
// 1 in twice that. What is in a half is told by the block's own numbers, so every reader of the
// dump chooses the same.
void SampledBlocks::halve(const Acquire& record, uint64_t interval, Block& block) {
    const double whole = 1 / weight_of(record.size, interval);
    const double half = 1 / weight_of(record.size, 2 * interval);
    const double both = half * half / whole, one = half * (1 - half) / whole;
    const double chance = static_cast<double>(mixed(record.address, block.number) >> 11) * 0x1p-53;
    const bool is_in[2] = {chance < both + one, chance < both || chance >= both + one};
    const double bytes = std::round(static_cast<double>(record.size) / half);
    // Never more than twice what the block stands for, whose size is within the budget.
    const uint64_t held = std::min(saturating_whole(bytes), 2 * block.weight.bytes);
    for (size_t i = 0; i < 2; ++i) block.halves[i] = is_in[i] ? held : 0;
}

void SampledBlocks::close(const Block& block) {
    const FairPeak::Part part{block.weight.bytes, {block.halves[0], block.halves[1]}};
    peaks_[block.site].release(part);
    peak_.release(part);
    counter_.release(block.site, block.weight.bytes, false, block.number, SpaceCounter::no_label,
                     block.weight.blocks);
}

HeapSpace::Fault SampledBlocks::acquire(const Acquire& record, Weight weight, uint64_t interval,
                                        uint32_t backward) {
    sampled_ += 1;
    Fault fault = exact_.live_count() != 0 ? exact_.drop(record.address) : Fault::none;
    Block block{
        weight, counter_.site_of(record.stack, backward), counter_.newest() + weight.blocks, {}};
    halve(record, interval, block);
    if (block.site >= peaks_.size()) peaks_.resize(size_t{block.site} + 1);
    const auto [entry, is_new] = blocks_.try_emplace(record.address, block);
    if (!is_new) {
        if (!counter_.unsure().may_be_gone(entry->second.number))
            fault = Fault::acquired_while_live;
        close(entry->second);
        entry.value() = block;
    }
    const uint64_t of_site = counter_.site_totals(block.site).own_peak_bytes;
    const uint64_t of_space = counter_.peak_bytes();
    counter_.acquire(block.site, weight.bytes, record.time, SpaceCounter::no_label, weight.blocks);
    const FairPeak::Part part{weight.bytes, {block.halves[0], block.halves[1]}};
    peaks_[block.site].acquire(part, counter_.site_totals(block.site).live_bytes, of_site);
    peak_.acquire(part, counter_.totals().live_bytes, of_space);
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

// What the space had too much at its peak was too much at its sites: first at those that would have
// had more than they ever had, and the rest at each in proportion to what the sample had of it
// then. So they add up to the space as before.
void SampledBlocks::settle_peaks(Space& space) const {
    std::vector<uint64_t> estimated(space.sites.size()), over(space.sites.size());
    double all = 0, all_over = 0;
    for (size_t i = 0; i < estimated.size(); ++i) {
        Totals totals = space.sites.totals(i);
        if (i < peaks_.size()) totals.own_peak_bytes = peaks_[i].bytes(totals.own_peak_bytes);
        space.sites.set_totals(i, totals);
        if (i < bytes_of_sites_.size())
            estimated[i] = std::min(totals.at_peak_bytes, bytes_of_sites_[i]);
        const uint64_t own = std::min(totals.own_peak_bytes, totals.at_peak_bytes);
        over[i] = std::min(estimated[i], totals.at_peak_bytes - own);
        all += static_cast<double>(estimated[i]);
        all_over += static_cast<double>(over[i]);
    }
    const uint64_t highest = space.totals.own_peak_bytes;
    const uint64_t shown = std::max(peak_.bytes(highest), most_shown(space.totals));
    uint64_t excess = highest - std::min(highest, shown);
    const auto part_of = [](double whole, double sum) {
        return sum <= 0 ? 0 : std::clamp(whole / sum, 0.0, 1.0);
    };
    const double first = part_of(double(excess), all_over);
    const double rest = part_of(double(excess) - all_over, all - all_over);
    for (size_t i = 0; i < estimated.size(); ++i) {
        Totals totals = space.sites.totals(i);
        const double share = first * double(over[i]) + rest * double(estimated[i] - over[i]);
        const auto wanted = static_cast<uint64_t>(std::ceil(share));
        const uint64_t less = std::min({wanted, excess, estimated[i]});
        if (less == 0) continue;
        const double kept = double(totals.at_peak_bytes - less) / double(totals.at_peak_bytes);
        const auto blocks = static_cast<uint64_t>(std::ceil(double(totals.at_peak_blocks) * kept));
        const uint64_t gone = totals.at_peak_blocks - std::min(totals.at_peak_blocks, blocks);
        totals.at_peak_bytes -= less;
        totals.at_peak_blocks -= gone;
        space.sites.set_totals(i, totals);
        space.totals.at_peak_bytes -= less;
        space.totals.at_peak_blocks -= gone;
        space.totals.own_peak_bytes -= less;
        excess -= less;
    }
    space.unsure_at_peak_bytes = std::min(space.unsure_at_peak_bytes, space.totals.at_peak_bytes);
}

void SampledBlocks::describe(Space& space, const TickClock& clock) const {
    if (is_sample()) settle_peaks(space);
    space.is_estimate = is_sample();
    space.sample_interval = intervals_.longest();
    space.sampled = sampled_;
    if (!intervals_.turned()) return;
    space.exact_until_ns = clock.ns(*intervals_.turned());
    space.estimated_bytes = bytes_of_sites_;
    space.estimated_bytes.resize(space.sites.size());
}

}  // namespace memtrace::analyzer
