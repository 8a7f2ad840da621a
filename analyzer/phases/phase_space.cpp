// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_space.h"

#include <algorithm>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t stretches_unlooked = 256;

}  // namespace

PhaseSpace::Account& PhaseSpace::account(uint32_t phase) {
    if (phase >= accounts_.size()) accounts_.resize(size_t{phase} + 1);
    return accounts_[phase];
}

void PhaseSpace::acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) {
    newest_ = std::max(newest_, change.number);  // What was alive before comes in any order.
    whole_bytes_ += change.bytes;
    if (counts(change)) {
        allocations_ += change.is_group ? 0 : change.blocks;
        allocated_bytes_ += allocated_bytes;
        live_bytes_ += change.bytes;
        if (change.is_group && change.blocks == 0) change_group(change, true);
        else live_.acquire(change.blocks, change.bytes);
    }
    if (parts_.empty() || whole_bytes_ <= parts_.back().peak_bytes) return;
    parts_.back().peak_bytes = whole_bytes_;
    parts_.back().peak_time = time;
    parts_.back().counted_bytes = live_bytes_;
}

void PhaseSpace::released(const ObservedChange& change, bool) {
    whole_bytes_ -= change.bytes;
    if (!counts(change)) return;
    frees_ += change.is_group ? 0 : change.blocks;
    live_bytes_ -= change.bytes;
    if (change.is_group && change.blocks == 0) change_group(change, false);
    else live_.release(change.number, change.blocks, change.bytes);
}

// What a block had of its own becomes a part when it comes back, so fewer bytes may be known to
// have moved than come back.
void PhaseSpace::change_group(const ObservedChange& change, bool grows) {
    GroupPart& part = group_parts_[change.number];
    if (grows) part.bytes += change.bytes;
    else part.bytes -= change.bytes;
    if (change.is_moved && grows) part.moved -= std::min(part.moved, change.bytes);
    if (change.is_moved && !grows) part.moved += change.bytes;
    if (part.bytes == 0 && part.moved == 0) group_parts_.erase(change.number);
}

LiveSince::Sum PhaseSpace::alive(uint64_t first, uint64_t last) const {
    LiveSince::Sum sum = live_.between(first, last);
    const auto end = group_parts_.upper_bound(last);
    for (auto part = group_parts_.upper_bound(first); part != end; ++part)
        sum.bytes += part->second.bytes;
    return sum;
}

bool PhaseSpace::has_moved(uint64_t first, uint64_t last) const {
    const auto end = group_parts_.upper_bound(last);
    return std::any_of(group_parts_.upper_bound(first), end,
                       [](const auto& part) { return part.second.moved != 0; });
}

void PhaseSpace::open(uint32_t phase, uint64_t time) {
    live_.begin(newest_);
    Account& account = this->account(phase);
    if (!account.was_open) account.sums.begin_bytes = live_bytes_;
    if (!account.was_open) account.sums.peak_time_ns = time;
    account.was_open = true;
    account.allocations = allocations_;
    account.frees = frees_;
    account.allocated_bytes = allocated_bytes_;
    account.newest = newest_;
    parts_.push_back({phase, whole_bytes_, time, live_bytes_});
}

void PhaseSpace::close(uint32_t phase) {
    const auto is_its = [&](const Part& part) { return part.phase == phase; };
    const auto mine = std::find_if(parts_.rbegin(), parts_.rend(), is_its);
    Account& account = this->account(phase);
    PhaseFigures& sums = account.sums;
    if (mine == parts_.rend()) return;
    const auto first = mine.base() - 1;
    for (auto part = first; part != parts_.end(); ++part) {
        if (part->peak_bytes <= account.peak_bytes) continue;
        account.peak_bytes = part->peak_bytes;
        sums.peak_bytes = part->counted_bytes;
        sums.peak_time_ns = part->peak_time;
    }
    if (first != parts_.begin() && first->peak_bytes > (first - 1)->peak_bytes) {
        (first - 1)->peak_bytes = first->peak_bytes;
        (first - 1)->peak_time = first->peak_time;
        (first - 1)->counted_bytes = first->counted_bytes;
    }
    parts_.erase(first);
    sums.allocations += allocations_ - account.allocations;
    sums.frees += frees_ - account.frees;
    add_saturating(sums.allocated_bytes, allocated_bytes_ - account.allocated_bytes);
    sums.end_bytes = live_bytes_;
    keep(account);
    live_.begin(newest_);
}

// Adds the blocks that the phase left. A phase that left nothing can leak nothing.
void PhaseSpace::keep(Account& account) {
    const LiveSince::Sum kept = alive(account.newest, newest_);
    if (kept.blocks == 0 && kept.bytes == 0) return;
    account.sums.kept_blocks += kept.blocks;
    // What a phase kept is kept by the phase around it, too, which may have the same name.
    add_saturating(account.sums.kept_bytes, kept.bytes);
    account.stretches.push_back({account.newest, newest_});
    if (account.stretches.size() < 2 * account.pruned + stretches_unlooked) return;
    std::erase_if(account.stretches, [&](const Stretch& stretch) {
        const LiveSince::Sum left = alive(stretch.first, stretch.last);
        return left.blocks == 0 && left.bytes == 0 && !has_moved(stretch.first, stretch.last);
    });
    account.pruned = account.stretches.size();
}

PhaseFigures PhaseSpace::figures(uint32_t phase) const {
    if (phase >= accounts_.size()) return {};
    PhaseFigures result = accounts_[phase].sums;
    for (const Stretch& stretch : accounts_[phase].stretches) {
        const LiveSince::Sum left = alive(stretch.first, stretch.last);
        result.leaked_blocks += left.blocks;
        add_saturating(result.leaked_bytes, left.bytes);
    }
    return result;
}

}  // namespace memtrace::analyzer
