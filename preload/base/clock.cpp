// SPDX-License-Identifier: Apache-2.0
#include "preload/base/clock.h"

#include <cpuid.h>

#include "preload/base/hot_data.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA Ticks ticks;

namespace {

uint64_t monotonic_at_start;

// CPUID leaf 8000_0007h, EDX bit 8: the counter runs at one rate in all power states.
bool tsc_is_invariant() {
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & (1u << 27));  // rdtscp is available
}

}  // namespace

void start_clock() {
    ticks.is_tsc = tsc_is_invariant();
    monotonic_at_start = clock_ns(CLOCK_MONOTONIC);
    ticks.zero = ticks.is_tsc ? __rdtsc() : monotonic_at_start;
    ticks.per_second = 1'000'000'000u >> (ticks.is_tsc ? cycles_a_tick_log : 0);
}

Clock clock_record() { return {ticks_now(), clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME)}; }

void calibrate_clock() {
    if (!ticks.is_tsc) return;
    const uint64_t passed_ns = clock_ns(CLOCK_MONOTONIC) - monotonic_at_start;
    if (passed_ns == 0) return;
    const double per_ns = static_cast<double>(ticks_now()) / static_cast<double>(passed_ns);
    ticks.per_second = static_cast<uint64_t>(per_ns * 1e9);
}

}  // namespace memtrace::preload
