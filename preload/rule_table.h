// SPDX-License-Identifier: Apache-2.0
//
// Return address -> StepRule, for the whole process, filled as addresses are met.
//
//   * An entry is one word: 48 bits of address, 16 bits that number the rule. Eight to a cache
//     line, because at this point it is cache misses that cost. Nothing can be half written.
//   * Nobody waits. Who finds no entry reads the unwind table itself and then tries to add one.
//   * Grows by adding a table four times as large; older ones stay.
//   * Unloaded code is forgotten: see begin_unload().
#pragma once

#include <cstdint>

#include "preload/step_rule.h"
#include "preload/wide_step.h"

namespace memtrace::preload {

// How the frame that will be returned to at `return_address` finds its caller.
StepRule find_step_rule(uint64_t return_address, TableScratch& scratch);

// What was remembered under an earlier number must not be used any more.
uint64_t unwind_generation();

// Around everything that may unload code or registered tables. Between the two, rules are computed
// afresh and nothing is remembered: a thread's own stack keeps its modules loaded, but others may go
// and come at any moment.
void begin_unload();
void end_unload();
bool is_unloading();

// For a forked child: the threads that were unloading are not in it.
void end_unloads_of_parent();

// Forgets the rules of [begin, end).
void forget_step_rules(uint64_t begin, uint64_t end);

uint64_t rule_table_bytes();

}  // namespace memtrace::preload
