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

#include "preload/python/cached_python_stack.h"
#include "preload/python/python_frame_reader.h"
#include "preload/python/python_invalidation.h"

namespace memtrace::preload {

class BumpArena;

// What a stack of that status lacks; unnamed: nothing.
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
    // So many outermost frames are exactly those of the walk before, and none of their code objects
    // was freed in between.
    uint32_t kept = 0;
    PythonStackStatus status = PythonStackStatus::none;
};

// One for each thread; zeroed memory is one, and it stays for good.
class PythonWalker {
public:
    static constexpr uint32_t depth_max = 1024;

    // What captures came to. Other threads look at it now and then.
    struct Counts {
        uint64_t of_status[statuses];
        uint64_t frames;
        uint64_t kept;
    };

    PythonStack walk();

    // Whether walk() would find that stack, of this thread. May note that its code objects are
    // still there.
    bool would_find(const BumpArena& arena, CachedPythonStack& then);

    // A capture came to this stack; some walk twice.
    void count(const PythonStack& stack) {
        counts_.of_status[static_cast<unsigned>(stack.status)] += 1;
        counts_.frames += stack.length;
        counts_.kept += stack.kept;
    }

    PythonWalkFlag& flag() { return flag_; }
    const Counts& counts() const { return counts_; }

    // The next walk keeps nothing.
    void forget() { length_ = 0; }

    // Another thread begins to use it.
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
    PythonFrame* fresh_ = nullptr;   // what is new of this one, innermost first
    uint32_t length_ = 0;
    uint32_t kept_ = 0;
    bool was_truncated_ = false;
    uint64_t freed_codes_ = 0;  // FreedCodes::count() at the last walk
    // The thread state that the end of the interpreter freed while this thread ran in it, as long
    // as the thread may still find it there; then `no_state`, until it gets another one.
    uint64_t ended_state_ = 0;
    uint32_t ends_before_ = 0;  // ends of interpreters that are no business of this thread
    uint64_t other_state_ = 0;  // that of another interpreter which this thread had last
    bool is_unsure_ = false;    // whether this thread runs that one's code now
    PythonWalkFlag flag_;
    Counts counts_ = {};
};

}  // namespace memtrace::preload
