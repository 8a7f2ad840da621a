// SPDX-License-Identifier: Apache-2.0
//
// Reads words of a stack without ever faulting.
//
// Everything between the stack pointer and the top of the thread's own stack is readable, and is
// read without a check. On any other stack (fibers, signal stacks), the kernel is queried once for
// each page, by a system call that copies a word and does nothing else.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// The known bounds of this thread's stack. They only grow, because pages of a thread's own stack do
// not go away while it runs.
class StackBounds {
public:
    // True if everything from `sp` to high() is the thread's own stack.
    bool own(uint64_t sp) { return sp - low_ < high_ - low_ || (sp >= floor_ && extend(sp)); }

    uint64_t high() const { return high_; }

private:
    bool extend(uint64_t sp);

    uint64_t low_ = 0;  // the known part is [low_, high_); both 0: nothing yet
    uint64_t high_ = 0;
    uint64_t floor_ = 0;  // below this is another stack, because there was a hole between
};

class StackReader {
public:
    // Reads the stack that contains `sp`, which must be in use right now.
    StackReader(StackBounds& bounds, uint64_t sp);

    bool is_own_stack() const { return is_own_; }

    // True if all addresses checked so far are on the thread's own stack.
    bool stayed_inside() const { return is_own_ && !went_out_; }

    // True if the word at `address`, a multiple of 8, can be read.
    bool can_read(uint64_t address) {
        return (address & 7) == 0 && (address - low_ < high_ - low_ || ask(address));
    }

    // Hidden from sanitizers, because it reads the frames of other functions.
    __attribute__((no_sanitize("address", "thread", "undefined"))) static uint64_t word(
        uint64_t address) {
        return *reinterpret_cast<const uint64_t*>(address);
    }

private:
    bool ask(uint64_t address);

    uint64_t low_;  // [low_, high_) is known to be readable
    uint64_t high_;
    bool is_own_;
    bool went_out_ = false;
};

// True if `sp` is the stack pointer of the process's very first code: the loader's start, which has
// no unwind data because nothing called it.
bool is_at_start_of_process(uint64_t sp);

// Queries the kernel. True if the word at `address` can be read.
bool is_readable(uint64_t address);

}  // namespace memtrace::preload
