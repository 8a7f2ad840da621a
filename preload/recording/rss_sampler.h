// SPDX-License-Identifier: Apache-2.0
//
// Samples of the memory that the process occupies by the kernel's count, every few milliseconds.
// The thread that records an event when a sample is due takes it, because there is no thread of
// ours that could wake up. A process that does nothing is not sampled.
//
// The same thread looks if somebody asked to stop the recording (recording_switch.h).
#pragma once

#include <cstdint>

namespace memtrace::preload {

class ThreadLane;

extern uint64_t next_sample_time;  // in ticks; only a hint, read without ordering

// True if a sample or a look is due at `now`.
inline bool sample_is_due(uint64_t now) {
    return now >= __atomic_load_n(&next_sample_time, __ATOMIC_RELAXED);
}
void take_sample(ThreadLane& lane, uint64_t now);

// Writes a sample and the time on all clocks, now.
void take_last_sample(ThreadLane& lane);

// Called when it is time to look around, a few times a second, by the thread that does. nullptr:
// nobody.
using SampleObserver = void (*)(ThreadLane& lane, uint64_t now);
void set_sample_observer(SampleObserver observer);

// Sets the interval from the options; 0 switches sampling off, and only looks remain.
void start_sampling();

}  // namespace memtrace::preload
