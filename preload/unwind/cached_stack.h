// SPDX-License-Identifier: Apache-2.0
//
// A cached stack: how a stack was found, so that the work need not be repeated.
//
// Finding a stack is a calculation from words in memory: return addresses, saved registers,
// Python's frames. A cached stack lists the words that one such calculation read, their values, and
// the id of the stack that resulted. While every word still has its value, the calculation would
// read the same words and give the same id. So comparing the words is enough.
//
// Stacks of one program mostly have the same outer frames. The words of these frames lie in a
// shared prefix, which many cached stacks use. Each cached stack stores only the words inside it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/unwind/stack_reader.h"

namespace memtrace::preload {

// A word of a thread's own stack and its value, packed into eight bytes: distance above a base, in
// words:16 value:48. A walk reads addresses, which have no more bits.
class StackWord {
public:
    static constexpr unsigned value_bits = 48;
    static constexpr uint64_t value_mask = (uint64_t{1} << value_bits) - 1;
    // Bytes above the base that a packed word can address.
    static constexpr uint64_t reach = sizeof(uint64_t) << (64 - value_bits);

    static bool fits(uint64_t base, uint64_t address, uint64_t value) {
        return address - base < reach && (address & 7) == 0 && value <= value_mask;
    }
    static uint64_t pack(uint64_t base, uint64_t address, uint64_t value) {
        return (address - base) / sizeof(uint64_t) << value_bits | value;
    }

    // True if the words still have their values. Compares `at_once` words together, in any order,
    // because words that were on a thread's own stack stay readable. `count` must be a multiple of
    // `at_once`.
    static constexpr uint32_t at_once = 4;
    [[gnu::always_inline]] static bool all_hold(uint64_t base, const uint64_t* packed,
                                                uint32_t count) {
        static_assert(at_once == 4);
        for (const uint64_t* const end = packed + count; packed != end; packed += at_once) {
            const uint64_t any = difference(base, packed[0]) | difference(base, packed[1]) |
                                 difference(base, packed[2]) | difference(base, packed[3]);
            if (any != 0) [[unlikely]]
                return false;
        }
        return true;
    }

private:
    // Returns 0 if the word still has its value.
    [[gnu::always_inline]] static uint64_t difference(uint64_t base, uint64_t packed) {
        return StackReader::word(base + (packed >> value_bits) * sizeof(uint64_t)) ^
               (packed & value_mask);
    }
};

// Refers to other entries by their places in an arena (bump_arena.h).
struct CachedStack {
    uint64_t call;          // position and value of the innermost return address
    uint32_t id;            // of the stack
    uint16_t frames;        // number of native frames
    uint16_t next;          // the cached stack that came after this one the last time
    uint16_t other;         // another cached stack that came after this one before
    uint16_t older;         // an older cached stack of a call with the same hash
    uint16_t python_entry;  // the Python part, in the caller's form
    uint16_t prefix;
    uint16_t shared;  // number of words taken from the shared prefix, outermost first
    uint16_t own;     // number of words stored here, innermost first
    uint16_t trial;   // the trial in which it was last met (stack_cache.h)
    uint64_t words[1];

    static uint64_t bytes(uint64_t own) {
        return sizeof(CachedStack) + (own == 0 ? 0 : own - 1) * sizeof(uint64_t);
    }
};

struct SharedPrefix {
    uint32_t count;
    uint32_t room;      // for so many; more may follow those that stacks use
    uint64_t words[1];  // outermost first

    static uint64_t bytes(uint64_t count) {
        return offsetof(SharedPrefix, words) + count * sizeof(uint64_t);
    }
};

}  // namespace memtrace::preload
