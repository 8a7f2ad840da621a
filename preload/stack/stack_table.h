// SPDX-License-Identifier: Apache-2.0
//
// Ids of the call stacks that were met lately, as a tree: (parent, address) -> id. Ids count up
// from 1. A node's definition is in the dump before any thread can find its id here. An id stays
// valid for the whole recording, but may be forgotten here. The node is then defined again under
// another id, and the reader joins the two.
//
//   * Bounded: there are two tables. New nodes go into the young one. When it is full, the old one
//     is forgotten, and the young one takes its place. A node that is found in the old table is
//     copied into the young one, so nodes that come again and again stay.
//   * Lock-free: no thread waits. A thread that meets a half-inserted entry, or looks into a table
//     that is being emptied, defines the node again, which is wasteful, rare and correct.
//   * One probe is one cache line: four 16-byte entries. The addresses of the whole stack
//     (stack_hash) tell where an entry lies, not ids. So the entries of many frames can be loaded
//     at once, before the first of them is known.
#pragma once

#include <atomic>
#include <cstdint>

#include "memtrace/dump/records.h"

namespace memtrace::preload {

class Lane;

inline constexpr uint64_t node_address_mask = 0xffffffffffff;

// A frame as one word: address:48 kind:8.
inline uint64_t node_word(uint64_t address, NodeKind kind) {
    return (address & node_address_mask) | static_cast<uint64_t>(kind) << 48;
}
inline NodeKind kind_of(uint64_t node_word) { return static_cast<NodeKind>(node_word >> 48); }

// Returns the hash of a stack, given the hash of the stack outside its innermost frame. For one
// `outside`, every (address, kind) has a hash of its own.
inline uint64_t stack_hash(uint64_t outside, uint64_t word) {
    const uint64_t mixed = (outside ^ outside >> 29 ^ word) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}
inline uint64_t stack_hash(uint64_t outside, uint64_t address, NodeKind kind) {
    return stack_hash(outside, node_word(address, kind));
}

// Returns the hash of no stack. It is another one in each generation, so nodes that were named in
// an earlier generation are not found again. `own_stacks`: Lane::own_stacks().
inline uint64_t root_hash(uint64_t generation, uint64_t own_stacks = 0) {
    return generation * 0xff51afd7ed558ccdu ^ own_stacks;
}

// Ids that were found before this number changed must be looked up again.
extern std::atomic<uint64_t> stack_generation;
inline uint64_t stack_table_generation() {
    return stack_generation.load(std::memory_order_acquire);
}

// Returns the id of the frame `address` below `parent`; 0 if there are no more ids. `path` is
// stack_hash() of the parent's path and the frame.
uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind,
                          uint64_t path);

// The same for frames that lie inside each other, outermost first, below `parent`.
struct NodesOfStack {
    const uint64_t* words;  // node_word()
    const uint64_t* paths;
    uint32_t* ids;  // written by find_or_add_nodes()
    uint32_t count;
};
void find_or_add_nodes(Lane& lane, uint32_t parent, const NodesOfStack& nodes);

// Returns the highest id so far.
uint32_t node_count();

// Begins a generation. Call when code has gone, and its modules are forgotten: what comes to the
// same addresses is other code.
void forget_nodes();

// Starts again with empty tables and the first id. For a forked child, which has a dump without
// nodes.
void forget_all_nodes();

// Returns the bytes of all tables.
uint64_t stack_table_bytes();
inline constexpr uint64_t stack_table_bytes_max = uint64_t{13} << 20;

}  // namespace memtrace::preload
