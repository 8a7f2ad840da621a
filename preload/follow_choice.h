// SPDX-License-Identifier: Apache-2.0
//
// Whether it is worth while to follow a stack, which leaves the walker's memo behind. Where the
// same few stacks come again and again it is. Where they are very many, like those of a recursion
// over a large tree, they are better told from their neighbours than from a memo that is far away:
// else there are too many chains for the table. Where all of them are far from the memo, the try is
// lost time, and none is made for a while.
#pragma once

#include <cstdint>

namespace memtrace::preload {

class FollowChoice {
public:
    bool is_on() {
        if (rest_ == 0) return true;
        --rest_;
        return false;
    }

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
        rest_ = far_rest_stacks;
    }

    void note_known() { debt_ -= debt_ != 0; }
    void note_unknown() {
        debt_ += unknown_cost;
        if (debt_ < debt_max) return;
        debt_ = 0;
        rest_ = rest_stacks;
    }

private:
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
    uint32_t last_id_ = 0;
    uint32_t repeats_ = 0;
};

}  // namespace memtrace::preload
