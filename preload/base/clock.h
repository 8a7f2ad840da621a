// SPDX-License-Identifier: Apache-2.0
//
// Ticks, the unit of time in the dump. A tick is 16 cycles of the processor's time stamp counter if
// that runs at one rate on all cores. Otherwise it is a nanosecond of the monotonic clock. Reading
// the time is never a system call.
//
// Single cycles would be noise. Many counters advance by more than one cycle at a time, and the low
// bits of a time take much room in a dump because they cannot be compressed. Two threads cannot
// hand a block to each other within 16 cycles: a store takes longer to reach the other core, and
// both threads run through a hook.
//
// Order per address across threads follows from three stamps: after an acquisition, before a
// release, and both for a resize. Each stamp must wait for the loads before it (stamp_order.h lists
// exceptions). Without the wait, a release could be stamped before the load that received the
// pointer. Its stamp could then be older than that of the acquisition on the other core
// (tests/programs/address_ping_pong shows this on a loaded machine). The fence waits for the loads,
// and stores of the release cannot become visible before the fence retires. rdtscp would wait as
// well, but costs a little more.
#pragma once

#include <time.h>
#include <x86intrin.h>

#include <cstdint>

#include "memtrace/dump/records.h"

namespace memtrace::preload {

struct Ticks {
    bool is_tsc = false;
    uint64_t zero = 0;        // counter or clock at the start of the recording
    uint64_t per_second = 0;  // an estimate
};
extern Ticks ticks;

inline uint64_t clock_ns(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

inline constexpr unsigned cycles_a_tick_log = 4;

inline uint64_t tsc_ticks() { return (__rdtsc() - ticks.zero) >> cycles_a_tick_log; }

inline uint64_t ticks_now() {
    if (!ticks.is_tsc) return clock_ns(CLOCK_MONOTONIC) - ticks.zero;
    _mm_lfence();
    return tsc_ticks();
}

// The same without the wait. The time may be slightly in the past.
inline uint64_t ticks_soon() { return ticks.is_tsc ? tsc_ticks() : ticks_now(); }

// Chooses the clock and sets its zero.
void start_clock();

// Sets the zero anew, and keeps what is known of the clock. All times from before are void.
void restart_clock();

// Returns the current time on all clocks.
Clock clock_record();

// Sets ticks.per_second from the time since start_clock(). More time gives a better estimate.
void calibrate_clock();

}  // namespace memtrace::preload
