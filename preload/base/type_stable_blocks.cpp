// SPDX-License-Identifier: Apache-2.0
#include "preload/base/type_stable_blocks.h"

#include <atomic>
#include <bit>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

// One stack of free blocks for each power of two. The address of the next free block precedes each
// block, where no reader of a block looks.
//
// head: tag:16 address:48. The tag counts changes. Between a thread's read of a block's `next` and
// its exchange of the head, the block may have been taken and returned with another `next`.
constexpr unsigned bits_min = 7;
constexpr unsigned bits_max = 27;
constexpr size_t room_in_front = sizeof(uint64_t);
constexpr size_t room = room_in_front + 8;
static_assert(type_stable_block_bytes_max + room <= size_t{1} << bits_max);
std::atomic<uint64_t> heads[bits_max + 1];

constexpr uint64_t address_mask = 0xffffffffffffu;
constexpr uint64_t one_tag = uint64_t{1} << 48;

unsigned class_of(size_t bytes) {
    const auto bits = static_cast<unsigned>(std::bit_width(bytes + room - 1));
    return bits < bits_min ? bits_min : bits;
}

uint64_t* next_of(uint64_t block) { return reinterpret_cast<uint64_t*>(block); }

void push(unsigned bits, uint64_t block) {
    uint64_t head = heads[bits].load(std::memory_order_relaxed);
    uint64_t next;
    do {
        __atomic_store_n(next_of(block), head & address_mask, __ATOMIC_RELAXED);
        next = ((head + one_tag) & ~address_mask) | block;
    } while (!heads[bits].compare_exchange_weak(head, next, std::memory_order_release,
                                                std::memory_order_relaxed));
}

uint64_t pop(unsigned bits) {
    uint64_t head = heads[bits].load(std::memory_order_acquire);
    for (;;) {
        const uint64_t block = head & address_mask;
        if (block == 0) return 0;
        // May not be an address if the block is in use already. Then the exchange fails.
        const uint64_t after = __atomic_load_n(next_of(block), __ATOMIC_RELAXED) & address_mask;
        const uint64_t next = ((head + one_tag) & ~address_mask) | after;
        if (heads[bits].compare_exchange_weak(head, next, std::memory_order_acquire)) return block;
    }
}

// Small blocks are cut from larger pieces.
uint64_t make(unsigned bits) {
    constexpr size_t piece_bytes = size_t{64} << 10;
    const size_t block_bytes = size_t{1} << bits;
    const size_t bytes = block_bytes < piece_bytes ? piece_bytes : block_bytes;
    const auto piece = reinterpret_cast<uint64_t>(sys::map_private(bytes));
    if (piece == 0) return 0;
    for (size_t at = block_bytes; at < bytes; at += block_bytes) push(bits, piece + at);
    return piece;
}

}  // namespace

uint8_t* take_type_stable_block(size_t bytes) {
    if (bytes == 0 || bytes > type_stable_block_bytes_max) return nullptr;
    const unsigned bits = class_of(bytes);
    uint64_t block = pop(bits);
    if (block == 0) block = make(bits);
    return block == 0 ? nullptr : reinterpret_cast<uint8_t*>(block + room_in_front);
}

void give_back_type_stable_block(uint8_t* block, size_t bytes) {
    push(class_of(bytes), reinterpret_cast<uint64_t>(block) - room_in_front);
}

}  // namespace memtrace::preload
