// SPDX-License-Identifier: Apache-2.0
//
// Every call stack that was ever met, as a tree: (parent, address) -> id. Ids count up from 1; the
// node's definition is in the dump before anyone can find its id here.
//
//   * Lock-free; nobody waits. A thread that meets a half-inserted entry defines the node a second
//     time under another id, which is wasteful, rare and right.
//   * Grows into a table four times as large, and copies itself there. The old pages are given
//     back, but their addresses are not: somebody may still be looking there.
//   * One probe is one cache line: four 16-byte entries.
#pragma once

#include <cstdint>

#include "memtrace/records.h"

namespace memtrace::preload {

class Lane;

// The id of the frame `address` below `parent`; 0 if there is no memory for more.
uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind);

// Ids found before this number changed must not be reused without asking again.
uint64_t stack_table_generation();

// Makes nodes with addresses in [begin, end) unfindable: their module is gone.
void forget_nodes(uint64_t begin, uint64_t end);

// Starts again with an empty table, for a forked child whose dump has no nodes yet.
void forget_all_nodes();

uint64_t stack_table_bytes();

}  // namespace memtrace::preload
