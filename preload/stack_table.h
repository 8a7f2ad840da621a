// SPDX-License-Identifier: Apache-2.0
//
// Every call stack that was ever met, as a tree: (parent, address) -> id. Ids count up from 1; the
// node's definition is in the dump before anyone can find its id here.
//
//   * Lock-free; nobody waits. A thread that meets a half-inserted entry defines the node a second
//     time under another id, which is wasteful, rare and right.
//   * Grows into a table twice as large, and copies itself there. The old pages are given
//     back, but their addresses are not: somebody may still be looking there.
//   * One probe is one cache line: four 16-byte entries. Where an entry lies is told by the
//     addresses of the whole stack (path_hash), not by ids: so the entries of many frames can be
//     loaded at once, before the first of them is known.
#pragma once

#include <cstdint>

#include "memtrace/records.h"

namespace memtrace::preload {

class Lane;

// The hash of a stack, given that of the stack outside of its innermost frame. That of no stack is
// 0.
inline uint64_t path_hash(uint64_t outside, uint64_t address) {
    const uint64_t mixed = (outside ^ outside >> 29 ^ address) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}

// The id of the frame `address` below `parent`; 0 if there is no memory for more. `path` must
// always be the same for a node: one with another is another node.
uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind,
                          uint64_t path);

// For nodes that are asked for one at a time.
inline uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind) {
    return find_or_add_node(lane, parent, address, kind, path_hash(parent, address));
}

// Begins to load what find_or_add_node() will look at.
void prefetch_node(uint64_t path);

// Ids found before this number changed must not be reused without asking again.
uint64_t stack_table_generation();

// Makes nodes with addresses in [begin, end) unfindable: their module is gone.
void forget_nodes(uint64_t begin, uint64_t end);

// Starts again with an empty table, for a forked child whose dump has no nodes yet.
void forget_all_nodes();

uint64_t stack_table_bytes();

}  // namespace memtrace::preload
