// SPDX-License-Identifier: Apache-2.0
//
// The rule cache: return address -> UnwindRule, for the whole process, filled as addresses are met.
//
//   * An entry is one word: 48 bits of address and 16 bits for the number of the rule. Eight
//     entries fit a cache line, because the cost here is cache misses. An entry cannot be half
//     written.
//   * Nothing waits. A thread that finds no entry reads the unwind table itself and then tries to
//     add an entry.
//   * The cache grows by adding a table four times as large. Older tables stay.
//   * Unloaded code is forgotten (see begin_unload()).
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/unwind/full_step.h"
#include "preload/unwind/unwind_rule.h"

namespace memtrace::preload {

// A rule and the number by which it is found again; 0 if it has none.
struct NumberedRule {
    UnwindRule rule;
    uint16_t number = 0;
    bool is_new = false;  // the address was never looked up, or it was forgotten
};

// Returns the rule by which the frame with this return address finds its caller.
NumberedRule find_numbered_rule(uint64_t return_address, TableScratch& scratch);

inline UnwindRule find_unwind_rule(uint64_t return_address, TableScratch& scratch) {
    return find_numbered_rule(return_address, scratch).rule;
}

// Rules by number: ten times as many as any process has needed so far.
inline constexpr uint32_t unwind_rules_max = 1u << 15;
extern std::atomic<uint64_t> unwind_rules[unwind_rules_max];

inline UnwindRule unwind_rule_of(uint16_t number) {
    return UnwindRule::of_word(unwind_rules[number].load(std::memory_order_relaxed));
}

// One word, so that a walk reads it once: the number of running unloads, and above it the
// generation. Results remembered in another generation must not be used any more.
extern std::atomic<uint64_t> unload_state;
inline constexpr unsigned unload_generation_shift = 16;

inline uint64_t unwind_generation_in(uint64_t state) { return state >> unload_generation_shift; }
inline uint64_t unwind_generation() {
    return unwind_generation_in(unload_state.load(std::memory_order_acquire));
}

// Called around everything that may unload code or registered tables. In between, rules are
// computed afresh and nothing is remembered. A thread's own stack keeps its modules loaded, but
// other modules may come and go at any moment.
void begin_unload();
void end_unload();
inline bool is_unloading_in(uint64_t state) {
    constexpr uint64_t running = (uint64_t{1} << unload_generation_shift) - 1;
    return (state & running) != 0;
}
inline bool is_unloading() { return is_unloading_in(unload_state.load(std::memory_order_acquire)); }

// For a forked child, which does not have the threads that were unloading.
void end_unloads_of_parent();

// Forgets the rules of [begin, end).
void forget_unwind_rules(uint64_t begin, uint64_t end);

uint64_t rule_cache_bytes();

}  // namespace memtrace::preload
