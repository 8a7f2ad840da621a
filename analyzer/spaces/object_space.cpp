// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/object_space.h"

#include <algorithm>
#include <cmath>

#include "analyzer/base/saturating.h"

namespace memtrace::analyzer {

void ObjectSpace::begin(const PythonObjects& record) {
    has_begun_ |= record.state != PythonObjectsState::off;
    is_late_ |= record.state == PythonObjectsState::late;
    // One recording has one interval. A later record in a damaged dump must not mix two intervals.
    if (heap_.counter().empty() && sample_.empty()) {
        interval_ = std::min(record.interval, interval_max);
    }
}

double ObjectSpace::weight_of(uint64_t size, uint64_t interval) {
    if (interval == 0) return 1;
    const double bytes = static_cast<double>(std::max<uint64_t>(size, 1));
    return -1 / std::expm1(-bytes / static_cast<double>(interval));
}

uint64_t ObjectSpace::whole_weight(uint64_t size) {
    double& left_over = left_over_[size];
    left_over += weight_of(size, interval_);
    const auto whole = static_cast<uint64_t>(left_over);
    left_over -= static_cast<double>(whole);
    return whole;
}

HeapSpace::Fault ObjectSpace::acquire(const Acquire& record, uint32_t thread, uint64_t arena_bytes,
                                      uint32_t backward) {
    const uint64_t peak_before = counter().peak_bytes();
    const bool is_new = !has(record.address);
    const Fault fault = interval_ != 0 ? acquire_sampled(record, backward)
                                       : heap_.acquire(record.address, sizes_.take(record.size),
                                                       record.stack, record.time, thread, backward);
    if (is_new) pieces_[record.address >> piece_bits] += 1;
    if (counter().peak_bytes() != peak_before) arena_bytes_at_peak_ = arena_bytes;
    return is_late_ ? Fault::none : fault;
}

HeapSpace::Fault ObjectSpace::release(const Release& record, uint32_t thread) {
    const Fault fault =
        interval_ != 0 ? release_sampled(record.address) : heap_.release(record.address, thread);
    if (fault != Fault::none) return is_late_ ? Fault::none : fault;
    const auto piece = pieces_.find(record.address >> piece_bits);
    if (--piece.value() == 0) pieces_.erase(piece);
    return Fault::none;
}

// A range may have far more pieces than there are objects.
std::vector<uint64_t> ObjectSpace::used_pieces(uint64_t first, uint64_t last) const {
    std::vector<uint64_t> used;
    if (last - first < pieces_.size()) {
        for (uint64_t piece = first; piece <= last; ++piece) {
            if (pieces_.contains(piece)) used.push_back(piece);
        }
        return used;
    }
    for (const auto& [piece, objects] : pieces_) {
        if (piece >= first && piece <= last) used.push_back(piece);
    }
    std::sort(used.begin(), used.end());
    return used;
}

uint64_t ObjectSpace::unmap(uint64_t begin, uint64_t end, uint32_t thread) {
    uint64_t gone = 0;
    if (begin >= end) return gone;
    for (const uint64_t piece : used_pieces(begin >> piece_bits, (end - 1) >> piece_bits)) {
        const uint64_t piece_begin = std::max(begin, piece << piece_bits);
        const uint64_t piece_end = std::min(end, (piece + 1) << piece_bits);
        for (uint64_t at = piece_begin; at < piece_end; at += alignment) {
            if (!has(at)) continue;
            release(Release{0, Api::PyObject_Free, at}, thread);
            gone += 1;
        }
    }
    return gone;
}

void ObjectSpace::count_births() {
    heap_.count_births();
    for (const auto& [address, block] : samples_) {
        sample_.add_birth(block.site, block.number, block.bytes, block.blocks);
    }
}

HeapSpace::Fault ObjectSpace::acquire_sampled(const Acquire& record, uint32_t backward) {
    sampled_ += 1;
    const uint64_t blocks = whole_weight(record.size);
    const uint64_t bytes = sizes_.take(saturating_product(blocks, record.size));
    const Sampled block{blocks, bytes, sample_.site_of(record.stack, backward),
                        sample_.newest() + blocks};
    const auto [entry, is_new] = samples_.try_emplace(record.address, block);
    if (!is_new) {
        const Sampled old = entry->second;
        sample_.release(old.site, old.bytes, false, old.number, SpaceCounter::no_label, old.blocks);
        entry.value() = block;
    }
    sample_.acquire(block.site, block.bytes, record.time, SpaceCounter::no_label, block.blocks);
    return is_new ? Fault::none : Fault::acquired_while_live;
}

HeapSpace::Fault ObjectSpace::release_sampled(uint64_t address) {
    const auto entry = samples_.find(address);
    if (entry == samples_.end()) return Fault::released_while_not_live;
    const Sampled block = entry->second;
    sample_.release(block.site, block.bytes, false, block.number, SpaceCounter::no_label,
                    block.blocks);
    samples_.erase(entry);
    return Fault::none;
}

}  // namespace memtrace::analyzer
