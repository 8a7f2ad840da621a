// SPDX-License-Identifier: Apache-2.0
//
// Whether all calls of one statement may be left out, because of a condition within it:
//
//   log and log.write(x)          write(x) if is_open else None        ready && write(x);
#pragma once

#include <cstddef>
#include <utility>

namespace memtrace::analyzer {

// The parts of a statement in the order of its text.
class ConditionalCalls {
public:
    void add_call() { calls_ += 1; }
    // The operators of languages: and, or; if, else; ?, :.
    void add_either() { set(before_either_); }
    void add_if() { set(before_if_); }
    void add_else() {
        if (before_if_ != none) set(before_else_);
    }
    // What seemed to be an operator of two conditions was none.
    void forget_either() { before_either_ = none; }

    size_t calls() const { return calls_; }
    // `is_first`: the condition comes first (C), and not behind what it decides (Python).
    bool may_all_be_left_out(bool is_first) const {
        if (calls_ == 0) return false;
        if (before_else_ == none) return before_either_ == 0;
        size_t condition = before_if_, then = before_else_ - before_if_;
        if (!is_first) std::swap(condition, then);
        const size_t otherwise = calls_ - before_else_;
        return condition == 0 && (then == 0 || otherwise == 0);
    }

private:
    static constexpr size_t none = ~size_t{0};

    void set(size_t& before) const {
        if (before == none) before = calls_;
    }

    size_t calls_ = 0;
    size_t before_either_ = none;  // calls before
    size_t before_if_ = none;
    size_t before_else_ = none;
};

}  // namespace memtrace::analyzer
