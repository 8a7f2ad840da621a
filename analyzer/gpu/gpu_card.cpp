// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_card.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

// The size of the device's own pages. The driver places several small blocks in one page. A larger
// block gets pages of its own.
constexpr uint64_t page_bytes_of_device = 2u << 20;

uint64_t up_to_pages(uint64_t bytes) {
    const uint64_t over = bytes % page_bytes_of_device;
    return over == 0 ? 0 : page_bytes_of_device - over;
}

}  // namespace

GpuHolding GpuCard::acquire(uint64_t bytes, uint32_t stack, const std::string& label, uint64_t time,
                            const GpuCaller& by) {
    changes_ += 1;
    count_slack(bytes, true);
    return space_.acquire(bytes, stack, label, time, by);
}

void GpuCard::release(const GpuHolding& holding, uint64_t time, uint32_t thread) {
    changes_ += 1;
    count_slack(holding.bytes, false);
    space_.release(holding, time, thread);
}

uint64_t GpuCard::slack() const { return large_slack_ + up_to_pages(small_bytes_); }

void GpuCard::count_slack(uint64_t bytes, bool comes) {
    const bool is_small = bytes < page_bytes_of_device;
    uint64_t& sum = is_small ? small_bytes_ : large_slack_;
    const uint64_t part = is_small ? bytes : up_to_pages(bytes);
    sum = comes ? sum + part : sum - part;
}

// Bytes that the pool kept become the block, so the kept bytes are reduced before the block is
// added.
GpuHolding GpuCard::acquire_pooled(uint64_t pool, uint64_t bytes, uint32_t stack,
                                   const std::string& label, uint64_t time, const GpuCaller& by) {
    Pool& known = pools_[pool];
    const uint64_t before = known.kept();
    known.handed_out += bytes;
    const uint64_t taken_over = before - known.kept();
    kept_ -= taken_over;
    space_.lend(Group::pool_cache, taken_over, time);
    changes_ += 1;
    return space_.acquire(bytes, stack, label, time, by);
}

void GpuCard::release_pooled(uint64_t pool, const GpuHolding& holding, uint64_t time,
                             uint32_t thread) {
    changes_ += 1;
    space_.release(holding, time, thread);
    Pool& known = pools_[pool];
    const uint64_t before = known.kept();
    known.handed_out -= holding.bytes;
    const uint64_t came_back = known.kept() - before;
    kept_ += came_back;
    space_.take_back(Group::pool_cache, came_back, holding, time);
}

// More may be in use than the records tell: another thread's block may not be written yet. Only
// after a gap are these blocks that no record will tell of.
void GpuCard::pool_is(uint64_t pool, const PoolState& state, uint64_t time) {
    Pool& known = pools_[pool];
    const uint64_t before = known.kept();
    const uint64_t unseen = state.used > known.handed_out ? state.used - known.handed_out : 0;
    known.earlier = known.gap == state.gap ? std::min(known.earlier, unseen) : unseen;
    known.gap = state.gap;
    known.reserved = state.reserved;
    if (known.kept() == before) return;
    changes_ += 1;
    kept_ = kept_ - before + known.kept();
    space_.set_group(Group::pool_cache, kept_, time);
    look_at_peak(time);
}

void GpuCard::graphs_reserve(uint64_t bytes, uint64_t time) {
    if (bytes == graphs_) return;
    changes_ += 1;
    graphs_ = bytes;
    space_.set_group(Group::graph_memory, bytes, time);
    look_at_peak(time);
}

void GpuCard::end_context(uint64_t context, uint64_t time) {
    overhead_.erase(context);
    if (contexts_.erase(context) == 0 || !contexts_.empty()) return;
    overhead_.clear();
    graphs_reserve(0, time);
    for (auto& [number, pool] : pools_) pool.reserved = 0;
    changes_ += kept_ != 0;
    kept_ = 0;
    space_.set_group(Group::pool_cache, 0, time);
}

void GpuCard::look_at_peak(uint64_t time) {
    const uint64_t peak = space_.counter().peak_bytes();
    const bool is_new = peak != peak_bytes_;
    const bool is_still = changes_ == changes_at_peak_ && peak != 0;
    if (!is_new && !(is_still && segments_.used() > at_peak_.tensors)) return;
    peak_bytes_ = peak;
    changes_at_peak_ = changes_;
    at_peak_ = figures(time);
}

GpuFigures GpuCard::figures(uint64_t time) const {
    GpuFigures result;
    result.time_ns = time;  // in ticks, until the end of the replay
    result.held = space_.live_bytes();
    for (const auto& [object, bytes] : overhead_) result.context += bytes;
    result.slack = slack();
    segments_.fill(result);
    return result;
}

}  // namespace memtrace::analyzer
