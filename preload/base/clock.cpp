// SPDX-License-Identifier: Apache-2.0
#include "preload/base/clock.h"

#include <cpuid.h>

#include "preload/base/hot_data.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA Ticks ticks;

namespace {

// The same moment on all clocks.
struct Moment {
    uint64_t cycles;        // of the time stamp counter
    uint64_t monotonic_ns;  // CLOCK_MONOTONIC
    uint64_t realtime_ns;   // CLOCK_REALTIME
};
Moment start;

uint64_t cycles_now() {
    _mm_lfence();
    return __rdtsc();
}

// The scheduler may take the processor between two clocks, for milliseconds, and then they tell
// different moments. So the counter is read around the other clocks, and the narrowest of a few
// readings counts.
Moment moment_now() {
    constexpr unsigned readings_max = 4;
    constexpr uint64_t is_narrow = 4096;  // cycles: a microsecond or two
    Moment best{};
    uint64_t least = ~uint64_t{0};
    for (unsigned i = 0; i < readings_max && least > is_narrow; ++i) {
        const uint64_t before = cycles_now();
        const uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
        const uint64_t realtime = clock_ns(CLOCK_REALTIME);
        const uint64_t width = cycles_now() - before;
        if (width >= least) continue;
        least = width;
        best = {before + width / 2, monotonic, realtime};
    }
    return best;
}

uint64_t ticks_at(const Moment& moment) {
    if (!ticks.is_tsc) return moment.monotonic_ns - ticks.zero;
    return (moment.cycles - ticks.zero) >> cycles_a_tick_log;
}

// CPUID leaf 8000_0007h, EDX bit 8: the counter runs at one rate in all power states.
bool tsc_is_invariant() {
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & (1u << 27));  // rdtscp is available
}

}  // namespace

void restart_clock() {
    start = moment_now();
    ticks.zero = ticks.is_tsc ? start.cycles : start.monotonic_ns;
}

void start_clock() {
    ticks.is_tsc = tsc_is_invariant();
    restart_clock();
    ticks.per_second = 1'000'000'000u >> (ticks.is_tsc ? cycles_a_tick_log : 0);
}

Clock clock_record() {
    const Moment now = moment_now();
    return {ticks_at(now), now.monotonic_ns, now.realtime_ns};
}

void calibrate_clock() {
    if (!ticks.is_tsc) return;
    const Moment now = moment_now();
    const uint64_t passed_ns = now.monotonic_ns - start.monotonic_ns;
    if (passed_ns == 0) return;
    const double per_ns = static_cast<double>(ticks_at(now)) / static_cast<double>(passed_ns);
    ticks.per_second = static_cast<uint64_t>(per_ns * 1e9);
}

}  // namespace memtrace::preload
