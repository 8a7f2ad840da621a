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
//   * Unloaded code is forgotten (unwind_generation.h).
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

// Forgets the rules of [begin, end).
void forget_unwind_rules(uint64_t begin, uint64_t end);

uint64_t rule_cache_bytes();

}  // namespace memtrace::preload
