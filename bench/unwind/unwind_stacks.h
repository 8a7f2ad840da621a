// SPDX-License-Identifier: Apache-2.0
//
// Stacks to capture: as deep as wanted, of functions that are all different, at whose inner end a
// loop calls the site, each time a little differently.
//
//   _start of the thread -> ... -> nest<n> -> ... -> nest<0> -> loop [-> branch functions] -> site
//
// The site stands for a hook of the shim: what it captures begins at its caller.
#pragma once

#include <cstdint>

namespace memtrace::bench {

class Run {
public:
    using Function = void(Run&);

    Function* site = nullptr;
    uint32_t nests = 0;  // how many functions lie outside of the loop

    // Calls next_stage() only now and then, so that a turn costs next to nothing.
    bool goes_on(uint64_t turn) { return turn != stop || next_stage(turn); }

    Function* loop = nullptr;
    Function* const* branches = nullptr;  // two, taken in turns

protected:
    virtual bool next_stage(uint64_t turn) = 0;
    ~Run() = default;

    uint64_t stop = 0;  // the turn before which next_stage() wants to be asked
};

// One way in which the stack changes from one capture to the next.
struct Shape {
    const char* name;
    Run::Function* loop;
    Run::Function* const branches[2];
    uint32_t fresh_frames;  // that one capture has and the one before had not
    uint32_t captures_a_turn;
    bool is_on_fibers;
};

constexpr uint32_t nests_max = 63;
extern const Shape shapes[5];

// Builds the stack inside its caller's, or on two fibers, and runs the loop until the run is over.
// False: there is no memory for the fibers.
bool run_shape(const Shape& shape, Run& run);

}  // namespace memtrace::bench
