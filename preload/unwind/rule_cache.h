// SPDX-License-Identifier: Apache-2.0
//
// Return address -> UnwindRule, for the whole process, filled as addresses are met.
//
//   * An entry is one word: 48 bits of address, 16 bits that number the rule. Eight to a cache
//     line, because at this point it is cache misses that cost. Nothing can be half written.
//   * Nobody waits. Who finds no entry reads the unwind table itself and then tries to add one.
//   * Grows by adding a table four times as large; older ones stay.
//   * Unloaded code is forgotten: see begin_unload().
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/unwind/unwind_rule.h"
#include "preload/unwind/unwind_tables.h"

namespace memtrace::preload {

// A rule and the number by which it is found again; 0 if it has none.
struct NumberedRule {
    UnwindRule rule;
    uint16_t number = 0;
    bool is_new = false;  // nobody had asked for this address, or it was forgotten
};

// How the frame that will be returned to at `return_address` finds its caller.
NumberedRule find_numbered_rule(uint64_t return_address, TableScratch& scratch);

inline UnwindRule find_unwind_rule(uint64_t return_address, TableScratch& scratch) {
    return find_numbered_rule(return_address, scratch).rule;
}

// Rules by number: as many as any process has needed so far, ten times over.
inline constexpr uint32_t unwind_rules_max = 1u << 15;
extern std::atomic<uint64_t> unwind_rules[unwind_rules_max];

inline UnwindRule unwind_rule_of(uint16_t number) {
    return UnwindRule::of_word(unwind_rules[number].load(std::memory_order_relaxed));
}

// In one word, so that a walk reads it once: how many unloads are running, and above that the
// generation. What was remembered under another generation must not be used any more.
extern std::atomic<uint64_t> unload_state;
inline constexpr unsigned unload_generation_shift = 16;

inline uint64_t unwind_generation_in(uint64_t state) { return state >> unload_generation_shift; }
inline uint64_t unwind_generation() {
    return unwind_generation_in(unload_state.load(std::memory_order_acquire));
}

// Around everything that may unload code or registered tables. Between the two, rules are computed
// afresh and nothing is remembered: a thread's own stack keeps its modules loaded, but others may
// go and come at any moment.
void begin_unload();
void end_unload();
inline bool is_unloading_in(uint64_t state) {
    constexpr uint64_t running = (uint64_t{1} << unload_generation_shift) - 1;
    return (state & running) != 0;
}
inline bool is_unloading() { return is_unloading_in(unload_state.load(std::memory_order_acquire)); }

// For a forked child: the threads that were unloading are not in it.
void end_unloads_of_parent();

// Forgets the rules of [begin, end).
void forget_unwind_rules(uint64_t begin, uint64_t end);

uint64_t rule_cache_bytes();

}  // namespace memtrace::preload
