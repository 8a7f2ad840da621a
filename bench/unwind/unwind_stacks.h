// SPDX-License-Identifier: Apache-2.0
//
// Stacks to capture, of any depth. All functions differ. At the inner end a loop calls the site,
// each time in a slightly different way.
//
//   _start of the thread -> ... -> nest<n> -> ... -> nest<0> -> loop [-> branch functions] -> site
//
// The site stands for a hook of the shim: the captured stack begins at its caller.
#pragma once

#include <cstdint>

namespace memtrace::bench {

class Run {
public:
    using Function = void(Run&);

    Function* site = nullptr;
    uint32_t nests = 0;  // number of functions outside the loop

    // Calls next_stage() only rarely, so a turn costs almost nothing.
    bool goes_on(uint64_t turn) { return turn != stop || next_stage(turn); }

    Function* loop = nullptr;
    Function* const* branches = nullptr;  // two functions, called in turns

protected:
    virtual bool next_stage(uint64_t turn) = 0;
    ~Run() = default;

    uint64_t stop = 0;  // turn before which next_stage() is called
};

// One way in which the stack changes from one capture to the next.
struct Shape {
    const char* name;
    Run::Function* loop;
    Run::Function* const branches[2];
    uint32_t fresh_frames;  // frames of a capture that the previous capture did not have
    uint32_t captures_a_turn;
    bool is_on_fibers;
};

constexpr uint32_t nests_max = 63;
extern const Shape shapes[5];

// Builds the stack on top of its caller's, or on two fibers, and runs the loop to the end of the
// run. Returns false if there is no memory for the fibers.
bool run_shape(const Shape& shape, Run& run);

}  // namespace memtrace::bench
