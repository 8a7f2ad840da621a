// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/object_space.h"

#include <algorithm>

namespace memtrace::analyzer {

void ObjectSpace::begin(const PythonObjects& record) {
    has_begun_ |= record.state != PythonObjectsState::off;
    is_late_ |= record.state == PythonObjectsState::late;
    sample_.begin(record.interval);
}

void ObjectSpace::begin(const ObjectSample& record, uint32_t lane) {
    sample_.change(lane, record.interval, record.time);
}

HeapSpace::Fault ObjectSpace::acquire(const Acquire& record, uint32_t lane, uint32_t thread,
                                      uint64_t arena_bytes, uint32_t backward) {
    const uint64_t peak_before = counter().peak_bytes();
    const bool is_new = !has(record.address);
    const uint64_t interval = sample_.intervals().of(lane);
    Fault fault = Fault::none;
    if (interval != 0) {
        fault = sample_.acquire(record, sample_.weigh(record.size, interval, sizes_), interval,
                                backward);
    } else {
        if (sample_.is_sample()) fault = sample_.make_way(record.address);
        const Fault other = heap_.acquire(record.address, sizes_.take(record.size), record.stack,
                                          record.time, thread, backward);
        if (fault == Fault::none) fault = other;
    }
    if (is_new) pieces_[record.address >> piece_bits] += 1;
    if (counter().peak_bytes() != peak_before) arena_bytes_at_peak_ = arena_bytes;
    return is_late_ ? Fault::none : fault;
}

HeapSpace::Fault ObjectSpace::release(const Release& record, uint32_t thread) {
    const Fault fault = sample_.release(record.address, thread);
    if (fault != Fault::none) return is_late_ ? Fault::none : sample_.judged(fault);
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
    sample_.count_births();
}

}  // namespace memtrace::analyzer
