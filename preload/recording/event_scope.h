// SPDX-License-Identifier: Apache-2.0
//
// One event on its way into the dump. Every record_* function begins with an EventScope.
#pragma once

#include <cstdint>

#include "preload/base/clock.h"
#include "preload/base/recording_state.h"
#include "preload/base/thread_state.h"
#include "preload/recording/rss_sampler.h"
#include "preload/recording/stamp_order.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {

// Called when an event begins while this thread writes another record. Returns false if a signal
// handler interrupted that record. Returns true if such a handler left it by a jump (siglongjmp):
// then that record is given up, and the thread records again.
bool came_back_by_jump(const ThreadState& state);

// Marks the thread as recording and finds its lane. errno needs no care: nothing on the way to
// the dump sets it, because system calls are made without libc.
class EventScope {
public:
    [[gnu::always_inline]] EventScope() {
        if (!is_recording()) return;
        ThreadState& state = thread_state;
        if (state.inside != ThreadMode::program && !came_back_by_jump(state)) [[unlikely]] {
            nested_ = state.inside != ThreadMode::library;
            return;
        }
        enter_record(state);
        entered_ = true;
        lane_ = ThreadLane::of_this_thread();
        if (lane_ == nullptr) dump_file::count_lost_events(1);
    }

    [[gnu::always_inline]] ~EventScope() {
        if (nested_) StampOrder::publish(nullptr);
        if (!entered_) return;
        if (lane_ != nullptr && lane_->deferred().count.load(std::memory_order_relaxed) != 0) {
            lane_->write_deferred();
        }
        StampOrder::publish(lane_);
        thread_state.inside = ThreadMode::program;
    }

    EventScope(const EventScope&) = delete;
    EventScope& operator=(const EventScope&) = delete;

    explicit operator bool() const { return lane_ != nullptr; }
    ThreadLane& lane() { return *lane_; }

    // Returns the time for an event that lies either before or after the real call.
    uint64_t stamp() {
        return lane_->stamp(StampOrder::has_to_wait(*lane_) ? ticks_now() : ticks_soon());
    }

    // True if a signal handler interrupted the recording of another event of this thread.
    bool is_nested() const { return nested_; }

    void lost_unless(bool written) {
        if (!written) dump_file::count_lost_events(1);
    }

private:
    ThreadLane* lane_ = nullptr;
    bool entered_ = false;
    bool nested_ = false;
};

inline void sample_if_due(ThreadLane& lane, uint64_t now) {
    if (sample_is_due(now)) [[unlikely]]
        take_sample(lane, now);
}

}  // namespace memtrace::preload
