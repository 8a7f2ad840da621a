// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/range_cursor.h"

#include <algorithm>

namespace memtrace::analyzer {

RangeCursor::RangeCursor(const RangeMoments& moments, PhaseObserver& observer, bool has_begun)
    : from_{moments.from}, to_{moments.to}, observer_(observer) {
    observer.name_steps(moments.from ? moments.from->step : "", moments.to ? moments.to->step : "");
    if (has_begun) state_ = State::inside;
    else if (!from_.moment) begin(0);
}

uint64_t RangeCursor::next_time() const {
    const uint64_t to = to_.is_time() ? to_.moment->time : never;
    if (state_ == State::inside) return to;
    if (state_ == State::after) return never;
    // The events before a mark at the same time are counted, too.
    const uint64_t counted = to_.is_time() && to_.moment->event ? to : never;
    return std::min(from_.is_time() ? from_.moment->time : never, counted);
}

void RangeCursor::come_to(uint64_t time) {
    for (End* end : {&from_, &to_}) end->events += end->moment && time >= end->moment->time;
    pass(time);
}

void RangeCursor::pass(uint64_t time) {
    // A range may begin and end between two events.
    if (state_ == State::before && from_.is_time() && from_.has_come(time)) {
        begin(from_.moment->time);
    }
    if (state_ == State::inside && to_.is_time() && to_.has_come(time)) end(to_.moment->time);
}

void RangeCursor::before_mark(uint64_t number, uint64_t time) {
    if (state_ != State::before || !from_.is_mark(number)) return;
    begin(time);
    pass(time);
}

void RangeCursor::after_mark(uint64_t number, uint64_t time) {
    if (state_ == State::inside && to_.is_mark(number)) end(time);
}

void RangeCursor::begin(uint64_t time) {
    state_ = State::inside;
    observer_.begin_range(time);
}

void RangeCursor::end(uint64_t time) {
    state_ = State::after;
    observer_.end_range(time);
}

}  // namespace memtrace::analyzer
