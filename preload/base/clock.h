// SPDX-License-Identifier: Apache-2.0
//
// Ticks: 16 cycles of the processor's time stamp counter where it runs at one rate on all cores,
// else nanoseconds of the monotonic clock. Never a system call.
//
// Single cycles would be noise: many counters move by more than that at a time, and in a dump the
// low bits of the time take much room, since they cannot be compressed. Two threads cannot hand a
// block to each other in as little as 16 cycles: what is stored takes longer to reach the other
// core, and both have a hook to go through.
//
// Order per address across threads follows from three stamps: after an acquisition, before a
// release, both for a resize. Each must wait for the loads in front of it (stamp_order.h says which
// need not): the stamp of a release that ran ahead of the load which received the pointer could be
// older than the acquisition on the other core (tests/programs/address_ping_pong shows it on a
// loaded machine). The fence waits for them; what the release then stores cannot become visible
// before it retires. rdtscp would wait as well, and costs a little more.
#pragma once

#include <time.h>
#include <x86intrin.h>

#include <cstdint>

#include "memtrace/dump/records.h"

namespace memtrace::preload {

struct Ticks {
    bool is_tsc = false;
    uint64_t zero = 0;        // the counter, or the clock, at the start of the recording
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

// The same without the wait: the time may be that of a moment before.
inline uint64_t ticks_soon() { return ticks.is_tsc ? tsc_ticks() : ticks_now(); }

// Chooses the clock and sets its zero.
void start_clock();

// This moment on all clocks.
Clock clock_record();

// Sets ticks.per_second from what passed since start_clock(); the longer, the better.
void calibrate_clock();

}  // namespace memtrace::preload
