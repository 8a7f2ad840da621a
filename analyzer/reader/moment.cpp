// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/moment.h"

#include <time.h>
#include <x86intrin.h>

namespace memtrace::analyzer {
namespace {

constexpr unsigned cycles_a_tick_log = 4;  // as preload/base/clock.h has it

// True if the ticks are nanoseconds of the monotonic clock. The anchor has both.
bool are_nanoseconds(const FileHeader& header, const Clock& anchor) {
    constexpr uint64_t near = 100'000'000;
    const uint64_t ticks = anchor.monotonic_ns - header.ticks_zero;
    return ticks - anchor.time + near < 2 * near;
}

uint64_t clock_ns(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

Moment Moment::now() { return {__rdtsc(), clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME)}; }

Clock Moment::record(const FileHeader& header, const Clock& anchor) const {
    const uint64_t ticks = are_nanoseconds(header, anchor)
                               ? monotonic_ns - header.ticks_zero
                               : (cycles - header.ticks_zero) >> cycles_a_tick_log;
    return {ticks, monotonic_ns, realtime_ns};
}

}  // namespace memtrace::analyzer
