// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/block_index.h"

#include <algorithm>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr unsigned step_log_min = 7;  // of bytes: a few blocks

uint64_t end_of(const SearchedBlock& block) {
    const uint64_t bytes = std::max<uint64_t>(block.size, 1);
    return block.address > UINT64_MAX - bytes ? UINT64_MAX : block.address + bytes;
}

bool is_before(const SearchedBlock& a, const SearchedBlock& b) { return a.address < b.address; }

}  // namespace

BlockIndex::BlockIndex(std::vector<SearchedBlock> blocks) : blocks_(std::move(blocks)) {
    std::sort(blocks_.begin(), blocks_.end(), is_before);
    for (uint32_t first = 0; first < blocks_.size();) {
        Stretch stretch;
        stretch.begin = blocks_[first].address;
        uint32_t next = first;
        for (; next < blocks_.size(); ++next) {
            if (next != first && blocks_[next].address > stretch.end &&
                blocks_[next].address - stretch.end > gap_max) {
                break;
            }
            stretch.end = std::max(stretch.end, end_of(blocks_[next]));
        }
        // A stretch of one block may be as large as the memory.
        const uint64_t steps_max = uint64_t{4} * (next - first) + 16;
        stretch.step_log = step_log_min;
        while ((stretch.end - stretch.begin) >> stretch.step_log > steps_max) ++stretch.step_log;
        const uint64_t steps = ((stretch.end - stretch.begin) >> stretch.step_log) + 1;
        stretch.starts.reserve(steps + 1);
        uint32_t block = first;
        for (uint64_t at = stretch.begin; stretch.starts.size() < steps;
             at += uint64_t{1} << stretch.step_log) {
            while (block + 1 < next && blocks_[block + 1].address <= at) ++block;
            stretch.starts.push_back(block);
        }
        stretch.starts.push_back(next - 1);
        stretches_.push_back(std::move(stretch));
        first = next;
    }
    if (stretches_.empty()) return;
    lowest_ = stretches_.front().begin;
    span_ = stretches_.back().end - lowest_;
}

const BlockIndex::Stretch* BlockIndex::stretch_of(uint64_t address) const {
    auto after = std::upper_bound(
        stretches_.begin(), stretches_.end(), address,
        [](uint64_t value, const Stretch& stretch) { return value < stretch.begin; });
    if (after == stretches_.begin()) return nullptr;
    --after;
    return address < after->end ? &*after : nullptr;
}

uint32_t BlockIndex::first_from(uint64_t address) const {
    const auto found =
        std::lower_bound(blocks_.begin(), blocks_.end(), SearchedBlock{address, 0}, is_before);
    return static_cast<uint32_t>(found - blocks_.begin());
}

bool BlockIndex::begins_in(uint64_t begin, uint64_t end) const {
    const uint32_t first = first_from(begin);
    return first < size() && blocks_[first].address < end;
}

}  // namespace memtrace::analyzer
