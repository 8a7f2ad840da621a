// SPDX-License-Identifier: Apache-2.0
//
// What to do with a stack that can be followed: leave the walker's memo as it is, or let it become
// the memo. Where the same few stacks come again and again the memo had better stay. Where they
// are very many, like those of a recursion over a large tree, they are better told from their
// neighbours than from a memo that is far away: else there are too many chains for the table. And
// where stacks are all too far from the memo to be followed, the try is lost time, and none is made
// for a while.
#pragma once

#include <cstdint>

namespace memtrace::preload {

class FollowChoice {
public:
    // Whether to try.
    bool tries() { return count_down(far_rest_); }

    // Whether a stack that was followed may leave the memo as it is.
    bool leaves_memo() { return count_down(rest_); }

    // Whether the stack with that id, which is not the remembered one, came again and again: then
    // it had better be.
    bool is_repeated(uint32_t id) {
        repeats_ = id == last_id_ ? repeats_ + 1 : 0;
        last_id_ = id;
        return repeats_ >= repeats_max;
    }
    // The remembered one came.
    void note_remembered() { last_id_ = 0; }

    // The stack was near enough to be followed, or not.
    void note_near() { far_ = 0; }
    void note_far() {
        if (++far_ < far_max) return;
        far_ = 0;
        far_rest_ = far_rest_stacks;
    }

    void note_known() { debt_ -= debt_ != 0; }
    void note_unknown() {
        debt_ += unknown_cost;
        if (debt_ < debt_max) return;
        debt_ = 0;
        rest_ = rest_stacks;
    }

private:
    static bool count_down(uint32_t& rest) {
        if (rest == 0) return true;
        --rest;
        return false;
    }

    // With more than one unknown stack in so many the debt grows.
    static constexpr uint32_t unknown_cost = 8;
    static constexpr uint32_t debt_max = 512;
    static constexpr uint32_t rest_stacks = 16384;

    static constexpr uint32_t repeats_max = 2;

    // So many in a row.
    static constexpr uint32_t far_max = 8;
    static constexpr uint32_t far_rest_stacks = 128;

    uint32_t far_ = 0;
    uint32_t debt_ = 0;
    uint32_t rest_ = 0;
    uint32_t far_rest_ = 0;
    uint32_t last_id_ = 0;
    uint32_t repeats_ = 0;
};

}  // namespace memtrace::preload
