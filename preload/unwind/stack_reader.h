// SPDX-License-Identifier: Apache-2.0
//
// Reads words of a stack without ever faulting.
//
// What lies between the stack pointer and the top of the thread's own stack is readable, and is
// read without asking. On any other stack (fibers, signal stacks) the kernel is asked once for each
// page, by a system call that copies a word and does nothing else.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Where the stack of this thread is, as far as it has been seen. It only grows: pages of a thread's
// own stack do not go away while it runs.
class StackBounds {
public:
    // Whether everything from `sp` to high() is the thread's own stack.
    bool own(uint64_t sp) { return sp - low_ < high_ - low_ || (sp >= floor_ && extend(sp)); }

    uint64_t high() const { return high_; }

private:
    bool extend(uint64_t sp);

    uint64_t low_ = 0;  // The part that is known: [low_, high_). Both 0: nothing yet.
    uint64_t high_ = 0;
    uint64_t floor_ = 0;  // Below this it is another stack: there was a hole between.
};

class StackReader {
public:
    // Of the stack that holds `sp`, which is in use right now.
    StackReader(StackBounds& bounds, uint64_t sp);

    bool is_own_stack() const { return is_own_; }

    // Whether all that was asked for so far is on the thread's own stack.
    bool stayed_inside() const { return is_own_ && !went_out_; }

    // Whether the word at `address`, a multiple of 8, can be read.
    bool can_read(uint64_t address) {
        return (address & 7) == 0 && (address - low_ < high_ - low_ || ask(address));
    }

    // Not watched by sanitizers: other functions' frames are none of their business here.
    __attribute__((no_sanitize("address", "thread", "undefined"))) static uint64_t word(
        uint64_t address) {
        return *reinterpret_cast<const uint64_t*>(address);
    }

private:
    bool ask(uint64_t address);

    uint64_t low_;  // [low_, high_) is known to be readable.
    uint64_t high_;
    bool is_own_;
    bool went_out_ = false;
};

// Whether `sp` is where the process's very first code had it: the loader's start, which has no
// unwind data because nobody called it.
bool is_at_start_of_process(uint64_t sp);

// Asks the kernel whether the word at `address` can be read.
bool is_readable(uint64_t address);

}  // namespace memtrace::preload
