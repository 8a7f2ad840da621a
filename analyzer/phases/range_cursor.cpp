// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/range_cursor.h"

namespace memtrace::analyzer {

RangeCursor::RangeCursor(const RangeMoments& moments, PhaseObserver& observer)
    : moments_(moments), observer_(observer) {
    if (!moments_.from) begin(0);
}

uint64_t RangeCursor::next_time() const {
    if (state_ == State::before && is_time(moments_.from)) return moments_.from->time;
    if (state_ == State::inside && is_time(moments_.to)) return moments_.to->time;
    return never;
}

void RangeCursor::come_to(uint64_t time) {
    // A range may begin and end between two events.
    while (time >= next_time()) {
        if (state_ == State::before) begin(moments_.from->time);
        else end(moments_.to->time);
    }
}

void RangeCursor::before_mark(uint64_t number, uint64_t time) {
    if (state_ != State::before || !moments_.from || moments_.from->mark != number) return;
    begin(time);
    come_to(time);
}

void RangeCursor::after_mark(uint64_t number, uint64_t time) {
    if (state_ == State::inside && moments_.to && moments_.to->mark == number) end(time);
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
