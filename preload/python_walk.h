// SPDX-License-Identifier: Apache-2.0
//
// The Python stack of this thread: read from its own frames, without the GIL, without a call into
// the interpreter but for the thread's state, without changing anything.
//
// Most of a stack is that of the walk before, and is recognised, not read again: outward from where
// a frame has the address that an earlier one had, each must have the same address, instruction,
// code and place on the C stack, down to the thread's first frame. Addresses alone say nothing, as
// frames and code objects come to the same ones all the time.
#pragma once

#include <cstdint>

#include "preload/python_frames.h"
#include "preload/python_watch.h"

namespace memtrace::preload {

enum class PythonStackStatus : uint8_t {
    ok,
    none,             // there is no Python in this process
    off,              // there is, but its frames cannot be read: python_why()
    no_thread_state,  // this thread was never seen by Python
    empty,            // it was, and runs no Python code now
    finalizing,       // the interpreter ends, and this thread's frames may be gone
    truncated,        // the outermost frames are missing
};

struct PythonStack {
    const PythonFrame* frames = nullptr;  // outermost first
    uint32_t length = 0;
    // So many outermost frames are exactly those of the walk before, and none of their code objects
    // was freed in between.
    uint32_t kept = 0;
    PythonStackStatus status = PythonStackStatus::none;
};

// One for each thread; zeroed memory is one, and it stays for good.
class PythonWalker {
public:
    static constexpr uint32_t depth_max = 1024;

    PythonStack walk();

    PythonWalkFlag& flag() { return flag_; }

    // The next walk keeps nothing.
    void forget() { length_ = 0; }

private:
    PythonStack walk_on(uint64_t tstate);
    PythonStack walk_with_care(uint64_t tstate);
    bool may_walk(uint64_t tstate);
    bool has_room();
    void drop_freed_codes();
    template <PythonChain chain>
    PythonStackStatus compare_and_read(PythonFrameReader<PlainMemory>& reader);
    uint32_t find_outer(uint64_t frame, uint32_t count) const;
    PythonStack nothing(PythonStackStatus status) {
        length_ = 0;
        return {nullptr, 0, 0, status};
    }

    PythonFrame* frames_ = nullptr;  // the last stack, outermost first
    PythonFrame* fresh_ = nullptr;   // what is new of this one, innermost first
    uint32_t length_ = 0;
    uint32_t kept_ = 0;
    bool     was_truncated_ = false;
    uint64_t freed_codes_ = 0;       // FreedCodes::count() at the last walk
    uint64_t ended_state_ = 0;       // the thread state that the end of the interpreter freed
    PythonWalkFlag flag_;
};

// The thread state whose frames run on this thread now; 0 if Python does not know the thread.
uint64_t python_thread_state();

}  // namespace memtrace::preload
