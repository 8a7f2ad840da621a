// SPDX-License-Identifier: Apache-2.0
//
// The Python stack of this thread. It is read from the thread's own frames, without the GIL,
// without changing anything, and without a call into the interpreter except for the thread's state.
//
// Most of a stack equals that of the walk before. It is recognised instead of read again. Outward
// from a frame with the address of an earlier frame, each frame must have the same address,
// instruction, code and place on the C stack, up to the thread's first frame. Addresses alone are
// no proof, because frames and code objects come to the same addresses all the time.
#pragma once

#include <cstdint>

#include "preload/python/cached_python_stack.h"
#include "preload/python/python_frame_reader.h"
#include "preload/python/python_invalidation.h"
#include "preload/python/recognised_frames.h"

namespace memtrace::preload {

class BumpArena;

// What a stack with this status lacks; `unnamed` if nothing.
constexpr PythonGap gap_of(PythonStackStatus status) {
    switch (status) {
        case PythonStackStatus::off: return PythonGap::off;
        case PythonStackStatus::finalizing: return PythonGap::finalizing;
        case PythonStackStatus::truncated: return PythonGap::depth;
        case PythonStackStatus::unsure: return PythonGap::interpreter;
        case PythonStackStatus::ok:
        case PythonStackStatus::none:
        case PythonStackStatus::no_thread_state:
        case PythonStackStatus::empty: break;
    }
    return PythonGap::unnamed;
}

struct PythonStack {
    const PythonFrame* frames = nullptr;  // outermost first
    uint32_t length = 0;
    // Number of outermost frames that are exactly those of the walk before. None of their code
    // objects was freed in between.
    uint32_t kept = 0;
    PythonStackStatus status = PythonStackStatus::none;
};

// The walker of one thread. Zeroed memory is a valid walker, and it stays forever.
class PythonWalker {
public:
    static constexpr uint32_t depth_max = 1024;

    // Counts of captures by result. Other threads read them occasionally.
    struct Counts {
        uint64_t of_status[statuses];
        uint64_t frames;
        uint64_t kept;
    };

    PythonStack walk();

    // True if walk() would find this stack of the thread. May note that its code objects still
    // exist.
    bool would_find(const BumpArena& arena, CachedPythonStack& then);

    // Counts a capture with this result. Some captures walk twice.
    void count(const PythonStack& stack) {
        counts_.of_status[static_cast<unsigned>(stack.status)] += 1;
        counts_.frames += stack.length;
        counts_.kept += stack.kept;
    }

    PythonWalkFlag& flag() { return flag_; }
    const Counts& counts() const { return counts_; }

    // Makes the next walk keep nothing.
    void forget() { length_ = 0; }

    // Called when another thread begins to use the walker.
    void forget_thread() {
        forget();
        ended_state_ = 0;
        ends_before_ = PythonWalkFlag::ends();
        other_state_ = 0;
    }

private:
    PythonStack walk_on(uint64_t tstate);
    uint64_t thread_state();
    PythonStack walk_with_care(uint64_t tstate);
    bool may_walk(uint64_t tstate);
    bool has_lost_state();
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
    PythonFrame* fresh_ = nullptr;   // the new frames of this stack, innermost first
    uint32_t length_ = 0;
    uint32_t kept_ = 0;
    bool was_truncated_ = false;
    uint64_t freed_codes_ = 0;  // FreedCodes::count() at the last walk
    // The thread state that the end of the interpreter freed while this thread ran in it, as long
    // as the thread may still find it there. Then `no_state`, until the thread gets another state.
    uint64_t ended_state_ = 0;
    uint32_t ends_before_ = 0;  // ends of interpreters that do not concern this thread
    uint64_t other_state_ = 0;  // the last state of this thread in another interpreter
    RecognisedFrames recognised_;
    bool is_unsure_ = false;  // whether this thread may run that interpreter's code now
    PythonWalkFlag flag_;
    Counts counts_ = {};
};

}  // namespace memtrace::preload
