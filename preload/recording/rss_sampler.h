// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says that the process occupies, every few milliseconds, taken by whichever thread
// records an event then: there is no thread of ours that could wake up for it. A process that does
// nothing is not sampled.
#pragma once

#include <cstdint>

namespace memtrace::preload {

class ThreadLane;

extern uint64_t next_sample_time;  // ticks; only a hint, read without ordering

// Takes a sample if one is due at `now`.
inline bool sample_is_due(uint64_t now) {
    return now >= __atomic_load_n(&next_sample_time, __ATOMIC_RELAXED);
}
void take_sample(ThreadLane& lane, uint64_t now);

// A sample and the time on all clocks, now.
void take_last_sample(ThreadLane& lane);

// Sets the interval from the options; 0 switches sampling off.
void start_sampling();

}  // namespace memtrace::preload
