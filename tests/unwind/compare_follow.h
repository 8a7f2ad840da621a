// SPDX-License-Identifier: Apache-2.0
//
// A walker that leaves its memo behind where a stack can be followed, as the shim does, for
// compare.cpp.
#pragma once

#include <cstdint>

#include "preload/rule_table.h"
#include "preload/stack_walk.h"

namespace memtrace::preload {

inline constexpr uint32_t depth_max = 2048;

struct Stack {
    uint64_t pcs[depth_max];  // innermost first
    uint32_t length = 0;
};

class Follower {
public:
    // Finds the stack of the hook with that frame pointer. True: without a walk.
    bool find(const void* frame, Stack& stack) {
        Expected& expected = expected_[static_cast<const uint64_t*>(frame)[1] / 4 % expected_max];
        FollowedStack followed;
        stack.length = 0;
        if (walker_.repeats(frame, depth_max, followed) ||
            walker_.follow(frame, depth_max, expected.all(), followed)) {
            for (; stack.length < followed.count; ++stack.length) {
                stack.pcs[stack.length] =
                    followed.words[stack.length] & Expectation::address_mask;
            }
            add_outer(*followed.memo, followed.outer, stack);
            // The shim does so where stacks are far, or come again; here some others, too.
            if (!followed.is_near() || ++near_ % 8 == 0) walker_.remember(followed);
            return true;
        }
        const StackMemo* memo = walker_.walk(frame, depth_max, expected.all());
        if (memo == nullptr) return false;
        add_outer(*memo, memo->length, stack);
        expected.note(*memo);
        return false;
    }

private:
    // What the shim's chains are for: the inner frames of a stack that returned to the same place.
    struct Expected {
        uint64_t words[expected_frames_max];
        uint32_t count;
        uint64_t generation;

        Expectation all() const { return {words, words + expected_frames_near, count, generation}; }

        // Half of what there is, so that the rest has to be found.
        void note(const StackMemo& memo) {
            generation = unwind_generation();
            count = 0;
            while (count < memo.length / 2 && count < expected_frames_max) {
                const StackFrame& frame = memo.frames[memo.length - 1 - count];
                if (frame.rule_number == 0) break;
                words[count++] = expected_word(frame);
            }
        }
    };
    static constexpr uint32_t expected_max = 256;

    static void add_outer(const StackMemo& memo, uint32_t count, Stack& stack) {
        while (count-- > 0) stack.pcs[stack.length++] = memo.frames[count].pc;
    }

    StackWalker walker_;
    uint32_t    near_ = 0;
    Expected    expected_[expected_max];
};

}  // namespace memtrace::preload
