// SPDX-License-Identifier: Apache-2.0
//
// The time on the monotonic clock, in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace memtrace::launcher {

inline constexpr uint64_t second_ns = 1'000'000'000;

inline uint64_t now_ns() {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
}

}  // namespace memtrace::launcher
