// SPDX-License-Identifier: Apache-2.0
//
// How a stack was found, so that it need not be found again.
//
// Finding a stack is a calculation from words that lie in memory: return addresses, saved
// registers, Python's frames. A cached stack lists the words that one such calculation read, the
// values that they had, and the id that the stack came to. While each of them still has its value,
// the calculation would read the same words again and come to the same id: so it is enough to
// compare.
//
// Stacks of one program mostly have the same outer frames. The words of these lie in a shared
// prefix, which many cached stacks share; each has what is inside of that as its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/unwind/stack_reader.h"

namespace memtrace::preload {

// A word of a thread's own stack and the value that it had, in eight bytes: how many words it lies
// above a base:16 value:48. What a walk reads are addresses, which have no more bits.
class StackWord {
public:
    static constexpr unsigned value_bits = 48;
    static constexpr uint64_t value_mask = (uint64_t{1} << value_bits) - 1;
    // Of the base, in bytes.
    static constexpr uint64_t reach = sizeof(uint64_t) << (64 - value_bits);

    static bool fits(uint64_t base, uint64_t address, uint64_t value) {
        return address - base < reach && (address & 7) == 0 && value <= value_mask;
    }
    static uint64_t pack(uint64_t base, uint64_t address, uint64_t value) {
        return (address - base) / sizeof(uint64_t) << value_bits | value;
    }

    // Whether the words still have their values. In any order, `at_once` together: what has been on
    // a thread's own stack stays readable. `count` is a multiple of that.
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
    // Of its value now and then.
    [[gnu::always_inline]] static uint64_t difference(uint64_t base, uint64_t packed) {
        return StackReader::word(base + (packed >> value_bits) * sizeof(uint64_t)) ^
               (packed & value_mask);
    }
};

// Others are named by their places in an arena (bump_arena.h).
struct CachedStack {
    uint64_t call;          // where the innermost return address lies, and which one it is
    uint32_t id;            // of the stack
    uint16_t frames;        // so many are native
    uint16_t next;          // the cached stack that came after this one the last time
    uint16_t other;         // and one that did before
    uint16_t older;         // one that was made before this one, of a call with the same hash
    uint16_t python_entry;  // what else the stack depends on, as the caller keeps it
    uint16_t prefix;
    uint16_t shared;  // so many words of the shared prefix are this stack's, outermost first
    uint16_t own;     // and so many are here, innermost first
    uint16_t trial;   // in which it was met last (stack_cache.h)
    uint64_t words[1];

    static uint64_t bytes(uint64_t own) {
        return sizeof(CachedStack) + (own == 0 ? 0 : own - 1) * sizeof(uint64_t);
    }
};

struct SharedPrefix {
    uint64_t count;
    uint64_t words[1];  // outermost first

    static uint64_t bytes(uint64_t count) {
        return offsetof(SharedPrefix, words) + count * sizeof(uint64_t);
    }
};

}  // namespace memtrace::preload
