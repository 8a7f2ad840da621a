// SPDX-License-Identifier: Apache-2.0
//
// Ticks: the processor's time stamp counter where it runs at one rate on all cores, else the
// monotonic clock in nanoseconds. Never a system call.
//
// Order per address across threads follows from three stamps: after an acquisition (the stamp must
// not be taken before the loads that handed us the block: rdtscp waits for them), before a release
// (stores of the release cannot become visible before this instruction retires), both for a resize.
#pragma once

#include <time.h>
#include <x86intrin.h>

#include <cstdint>

#include "memtrace/records.h"

namespace memtrace::preload {

struct Ticks {
    bool     is_tsc = false;
    uint64_t zero = 0;        // ticks at the start of the recording
    uint64_t per_second = 0;  // an estimate
};
extern Ticks ticks;

inline uint64_t clock_ns(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

inline uint64_t ticks_before() {
    return (ticks.is_tsc ? __rdtsc() : clock_ns(CLOCK_MONOTONIC)) - ticks.zero;
}

inline uint64_t ticks_after() {
    if (!ticks.is_tsc) return clock_ns(CLOCK_MONOTONIC) - ticks.zero;
    unsigned core;
    return __rdtscp(&core) - ticks.zero;
}

// Chooses the clock and sets its zero.
void start_clock();

// This moment on all clocks.
Clock clock_record();

// Sets ticks.per_second from what passed since start_clock(); the longer, the better.
void calibrate_clock();

}  // namespace memtrace::preload
