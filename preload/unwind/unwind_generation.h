// SPDX-License-Identifier: Apache-2.0
//
// The generation of everything that is remembered about code: rules, walks, cached stacks. It
// changes whenever code or registered tables go away, because other code may come to the same
// addresses.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

// The number of unloads that are running, and above it the generation. One word, so that a walk
// reads both at once. What was remembered under another generation must not be used.
extern std::atomic<uint64_t> unload_state;
inline constexpr unsigned unload_generation_shift = 16;

inline uint64_t unwind_generation_in(uint64_t state) { return state >> unload_generation_shift; }
inline uint64_t unwind_generation() {
    return unwind_generation_in(unload_state.load(std::memory_order_acquire));
}

// Surround everything that may unload code or registered tables. Between the two, rules are
// computed anew and nothing is remembered. A thread's own stack keeps its modules loaded, but other
// modules may go and come at any moment.
void begin_unload();
void end_unload();
inline bool is_unloading_in(uint64_t state) {
    constexpr uint64_t running = (uint64_t{1} << unload_generation_shift) - 1;
    return (state & running) != 0;
}
inline bool is_unloading() { return is_unloading_in(unload_state.load(std::memory_order_acquire)); }

// For a forked child, which does not have the threads that were unloading.
void end_unloads_of_parent();

}  // namespace memtrace::preload
