// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/curve_builder.h"

#include <algorithm>

namespace memtrace::analyzer {

void CurveBuilder::begin(uint64_t time, uint64_t bytes) {
    begin_ = end_ = time;
    first_ = now_ = peak_ = bytes;
    peak_time_ = time;
    slices_.push_back({bytes, bytes, bytes});
}

void CurveBuilder::double_width() {
    size_t kept = 0;
    for (size_t i = 0; i < slices_.size(); i += 2) {
        Slice both = slices_[i];
        if (i + 1 < slices_.size()) {
            const Slice& second = slices_[i + 1];
            both = {std::min(both.lowest, second.lowest), std::max(both.highest, second.highest),
                    second.last};
        }
        slices_[kept++] = both;
    }
    slices_.resize(kept);
    width_bits_ += 1;
}

void CurveBuilder::come_to(uint64_t time) {
    end_ = std::max(end_, time);  // After damage, times may fall.
    while ((end_ - begin_) >> width_bits_ >= slices_max) double_width();
    const uint64_t index = (end_ - begin_) >> width_bits_;
    if (index >= slices_.size()) slices_.resize(index + 1, {now_, now_, now_});
}

void CurveBuilder::change(uint64_t time, uint64_t bytes) {
    come_to(time);
    now_ = bytes;
    if (bytes > peak_) {
        peak_ = bytes;
        peak_time_ = time;
    }
    Slice& slice = slices_.back();
    slice = {std::min(slice.lowest, bytes), std::max(slice.highest, bytes), bytes};
}

void CurveBuilder::end(uint64_t time) { come_to(time); }

HeldCurve CurveBuilder::finish(const TickClock& clock) const {
    HeldCurve curve;
    curve.begin_ns = clock.ns(begin_);
    curve.first = first_;
    curve.peak_bytes = peak_;
    curve.peak_time_ns = clock.ns(peak_time_);
    for (size_t i = 0; i < slices_.size(); ++i) {
        const uint64_t end = std::min(begin_ + ((uint64_t{i} + 1) << width_bits_), end_);
        curve.slices.push_back(
            {clock.ns(end), slices_[i].lowest, slices_[i].highest, slices_[i].last});
    }
    return curve;
}

}  // namespace memtrace::analyzer
