// SPDX-License-Identifier: Apache-2.0
//
// Every call stack that was ever met, as a tree: (parent, address) -> id. Ids count up from 1. A
// node's definition is in the dump before any thread can find its id here.
//
//   * Lock-free: no thread waits. A thread that meets a half-inserted entry defines the node a
//     second time under another id, which is wasteful, rare and correct.
//   * Grows into a table that is a quarter larger, and copies its entries there. The old pages
//     are given back piece by piece, but their addresses are not, because a thread may still be
//     looking there.
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

// Returns the hash of a stack, given the hash of the stack outside its innermost frame. The hash
// of no stack is 0. For one `outside`, every (address, kind) has a hash of its own.
inline uint64_t stack_hash(uint64_t outside, uint64_t word) {
    const uint64_t mixed = (outside ^ outside >> 29 ^ word) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}
inline uint64_t stack_hash(uint64_t outside, uint64_t address, NodeKind kind) {
    return stack_hash(outside, node_word(address, kind));
}

// The inverse: returns node_word() of the innermost frame of the stack with the hash `path`.
inline uint64_t path_word(uint64_t outside, uint64_t path) {
    constexpr uint64_t inverse = 0xf1de83e19937733du;
    static_assert(inverse * 0x9e3779b97f4a7c15u == 1);
    return (path ^ path >> 32) * inverse ^ outside ^ outside >> 29;
}

// Returns the id of the frame `address` below `parent`; 0 if there is no memory for more nodes.
// `path` is stack_hash() of the parent's path and the frame.
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

// Ids that were found before this number changed must be looked up again.
extern std::atomic<uint64_t> stack_generation;
inline uint64_t stack_table_generation() {
    return stack_generation.load(std::memory_order_acquire);
}

// Makes nodes with addresses in [begin, end) unfindable, because their module is gone.
void forget_nodes(uint64_t begin, uint64_t end);

// Starts again with an empty table. For a forked child, which has a dump without nodes.
void forget_all_nodes();

uint64_t stack_table_bytes();

}  // namespace memtrace::preload
