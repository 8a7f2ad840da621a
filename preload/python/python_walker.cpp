// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_walker.h"

#include <cstring>

#include "preload/base/sys.h"
#include "preload/python/python_frame_compare.h"
#include "preload/python/python_validation.h"

namespace memtrace::preload {
namespace {

// How many frames outward a frame is searched in the last stack. That many frames may have returned
// since.
constexpr uint32_t search_max = 16;

// The address of no frame, and different from the end of a chain.
constexpr uint64_t no_frame = 1;

// The address of no thread state.
constexpr uint64_t no_state = 1;

// Stacks that are right except for the order of their loops. A few may be on fibers.
constexpr uint32_t doubtful_stacks_max = 64;
std::atomic<uint32_t> doubtful_stacks{0};

// True if the state belongs to this thread. It may belong to another thread and be freed.
bool is_own_state(uint64_t state) {
    if (state == 0 || (state & 7) != 0) return false;
    const uint64_t at_id = state + python.layout.thread_id;
    const auto own = reinterpret_cast<uint64_t>(__builtin_thread_pointer());
    return is_readable(at_id) && word_at(at_id) == own;
}

bool has_frames(uint64_t state) {
    GuardedMemory memory;
    const PythonFrameReader<GuardedMemory> reader(python.layout, memory, state);
    return reader.frame() != 0 && !memory.failed();
}

}  // namespace

// Returns the thread state of the frames that run on this thread now, or 0 if Python does not know
// the thread.
[[gnu::hot]] uint64_t PythonWalker::thread_state() {
    const auto first = reinterpret_cast<uint64_t>(python.this_thread_state());
    const PythonLayout& layout = python.layout;
    if (layout.runtime_interpreters == PythonLayout::none) return first;
    const uint64_t newest = word_at(python.runtime + layout.runtime_interpreters);
    const uint64_t main = word_at(python.runtime + layout.runtime_interpreters + 8);
    if (newest == main) [[likely]]
        return first;
    // With several interpreters, the thread may run code of another interpreter than that of its
    // first state. The holder of the GIL is known. Without the GIL, only the other state from the
    // last time is known.
    const uint64_t current = word_at(python.runtime + layout.runtime_current);
    if (current == first) return first;
    if (is_own_state(current)) return other_state_ = current;
    if (other_state_ == 0) return first;
    if (!is_own_state(other_state_)) other_state_ = 0;
    else is_unsure_ = has_frames(other_state_);
    return first;
}

[[gnu::hot]] PythonStack PythonWalker::walk() {
    const PythonState state = python_state();
    if (state != PythonState::on && state != PythonState::validating) [[unlikely]] {
        return nothing(state == PythonState::none ? PythonStackStatus::none
                                                  : PythonStackStatus::off);
    }
    flag_.raise();
    is_unsure_ = false;
    const uint64_t tstate = thread_state();
    PythonStack stack;
    if (tstate == 0) {
        stack = nothing(has_lost_state() ? PythonStackStatus::finalizing
                                         : PythonStackStatus::no_thread_state);
    } else if (!may_walk(tstate)) {
        stack = nothing(PythonStackStatus::finalizing);
    } else if (!has_room()) {
        stack = nothing(PythonStackStatus::off);
    } else if (state == PythonState::on) [[likely]] {
        stack = walk_on(tstate);
    } else {
        stack = walk_with_care(tstate);
    }
    if (is_unsure_) [[unlikely]]
        stack.status = PythonStackStatus::unsure;
    flag_.lower();
    return stack;
}

// True if the thread had frames until the interpreter ended. If it is in a C function that does not
// return, these frames are still what it runs.
bool PythonWalker::has_lost_state() {
    if (python_finalizer() == 0) PythonWalkFlag::may_end_again();
    const bool ended = length_ != 0 && ends_before_ != PythonWalkFlag::ends();
    if (!ended && ended_state_ == 0) return false;
    ended_state_ = no_state;
    return true;
}

// Returns false if the interpreter ends and this is not the thread that ends it.
[[gnu::hot]] bool PythonWalker::may_walk(uint64_t tstate) {
    if (ended_state_ != 0) [[unlikely]] {
        if (tstate == ended_state_) return false;
        ended_state_ = 0;
        ends_before_ = PythonWalkFlag::ends();
    }
    const uint64_t finalizer = python_finalizer();
    if (finalizer == 0) [[likely]]
        return true;
    if (finalizer == tstate) {
        PythonWalkFlag::wait_for_all_once(&flag_);
        ends_before_ = PythonWalkFlag::ends();
        return true;
    }
    ended_state_ = tstate;
    return false;
}

[[gnu::hot]] bool PythonWalker::has_room() {
    if (frames_ != nullptr) [[likely]]
        return true;
    void* const pages = sys::map_private(depth_max * (2 * sizeof(PythonFrame) + sizeof(uint16_t)));
    if (pages == nullptr) return false;
    frames_ = static_cast<PythonFrame*>(pages);
    fresh_ = frames_ + depth_max;
    return true;
}

PythonStack PythonWalker::walk_with_care(uint64_t tstate) {
    const CheckedPythonStack stack = check_python_stack(python, tstate, fresh_, depth_max);
    if (stack.surprise != nullptr) {
        switch_python_off(stack.surprise);
        return nothing(PythonStackStatus::off);
    }
    if (stack.length == 0) return nothing(PythonStackStatus::empty);
    if (stack.is_convincing) {
        note_valid_python_stack(stack.hash);
    } else if (doubtful_stacks.fetch_add(1) == doubtful_stacks_max) {
        switch_python_off("its evaluation loops are not on the C stack");
    }
    kept_ = 0;
    length_ = stack.length;
    for (uint32_t i = 0; i < length_; ++i) frames_[i] = fresh_[length_ - 1 - i];
    was_truncated_ = stack.is_cut;
    freed_codes_ = FreedCodes::count();
    return {frames_, length_, 0,
            stack.is_cut ? PythonStackStatus::truncated : PythonStackStatus::ok};
}

// A frame with a freed code object is another frame, even if all addresses are equal.
void PythonWalker::drop_freed_codes() {
    const uint64_t now = FreedCodes::count();
    if (!FreedCodes::are_watched() || !FreedCodes::are_few(freed_codes_, now)) {
        length_ = 0;
    } else {
        for (uint32_t i = 0; i < length_; ++i) {
            if (FreedCodes::has(frames_[i].code, freed_codes_, now)) frames_[i].frame = no_frame;
        }
    }
    freed_codes_ = now;
}

// Returns how many of the outermost `count` frames reach up to the frame at this address, or 0 if
// it is not among them.
[[gnu::hot]] uint32_t PythonWalker::find_outer(uint64_t frame, uint32_t count) const {
    const uint32_t end = count > search_max ? count - search_max : 0;
    for (; count > end; --count) {
        if (frames_[count - 1].frame == frame) return count;
    }
    return 0;
}

template <PythonChain chain>
[[gnu::hot]] PythonStackStatus PythonWalker::compare_and_read(
    PythonFrameReader<PlainMemory>& reader) {
    const PythonLayout& layout = python.layout;
    uint32_t outer = length_;  // frames of the last stack that may still be the outer end
    uint32_t fresh = 0;
    kept_ = 0;
    bool is_truncated = false;
    while (reader.frame() != 0) {
        if (const uint32_t met = find_outer(reader.frame(), outer); met != 0) {
            LastFrames last(frames_, met, was_truncated_);
            compare<chain>(reader, layout, last);
            const uint32_t rest = last.count();
            const bool is_same_cut = was_truncated_ && fresh == 0 && met == length_;
            if (rest == 0 && (reader.frame() == 0 || is_same_cut)) {
                is_truncated = is_same_cut;
                kept_ = met;
                break;
            }
            // These frames are the same as before, but the frames outside them differ, so they
            // count as new.
            uint32_t i = met;
            for (; i > rest && fresh < depth_max; --i) fresh_[fresh++] = frames_[i - 1];
            is_truncated = i > rest;
            outer = rest;
            if (reader.frame() == 0) break;
        }
        if (fresh == depth_max) is_truncated = true;
        if (is_truncated) break;
        if (!is_possible(reader.frame())) {
            switch_python_off("a frame is where none can be");
            length_ = kept_ = 0;
            return PythonStackStatus::off;
        }
        fresh_[fresh++] = reader.take();
    }
    if (kept_ + fresh > depth_max) {
        // The innermost frames matter most.
        const uint32_t room = depth_max - fresh;
        std::memmove(frames_, frames_ + (kept_ - room), room * sizeof(PythonFrame));
        length_ = room;
        kept_ = 0;
        is_truncated = true;
    } else {
        length_ = kept_;
    }
    for (uint32_t i = fresh; i > 0; --i) frames_[length_++] = fresh_[i - 1];
    was_truncated_ = is_truncated;
    if (is_truncated) return PythonStackStatus::truncated;
    return length_ == 0 ? PythonStackStatus::empty : PythonStackStatus::ok;
}

[[gnu::hot]] PythonStack PythonWalker::walk_on(uint64_t tstate) {
    if (freed_codes_ != FreedCodes::count() || !FreedCodes::are_watched()) drop_freed_codes();
    PlainMemory memory;
    PythonFrameReader<PlainMemory> reader(python.layout, memory, tstate);
    const PythonStackStatus status = for_chain(
        python.layout.chain, [&]<PythonChain chain>() { return compare_and_read<chain>(reader); });
    return {frames_, length_, kept_, status};
}

namespace {

bool has_all_codes(const BumpArena& arena, CachedPythonStack& then) {
    const uint64_t now = FreedCodes::count();
    if (now == then.freed_codes) [[likely]]
        return true;
    if (!FreedCodes::are_few(then.freed_codes, now)) return false;
    for (const auto* one = &then; one->length != 0;
         one = &arena.at<CachedPythonStack>(one->outer)) {
        if (FreedCodes::has(one->frame.code, then.freed_codes, now)) return false;
    }
    then.freed_codes = now;
    return true;
}

// Compares all frames of the stack, as long as they match.
template <PythonChain chain>
bool compare_all(PythonFrameReader<PlainMemory>& reader, CachedFrames& frames,
                 const RecognisedFrames& row) {
    while (true) {
        compare<chain>(reader, python.layout, frames);
        if (!frames.is_done()) return false;
        LastFrames outer(row.frames(), frames.shared(), false);
        compare<chain>(reader, python.layout, outer);
        if (outer.is_done()) return reader.frame() == 0;
        frames.go_on_at(outer.count());
    }
}

bool has_all_frames(const BumpArena& arena, CachedPythonStack& then, RecognisedFrames& row,
                    uint64_t tstate) {
    PlainMemory memory;
    PythonFrameReader<PlainMemory> reader(python.layout, memory, tstate);
    CachedFrames frames(arena, then, row);
    const bool has_all = for_chain(python.layout.chain, [&]<PythonChain chain>() {
        return compare_all<chain>(reader, frames, row);
    });
    if (!has_all) return false;
    frames.keep_moves();
    row.note(arena, then, frames.shared());
    return true;
}

}  // namespace

[[gnu::hot]] bool PythonWalker::would_find(const BumpArena& arena, CachedPythonStack& then) {
    if (then.length == 0) {
        const PythonStack now = walk();
        return now.length == 0 && now.status == then.status;
    }
    if (python_state() != PythonState::on) [[unlikely]]
        return false;
    flag_.raise();
    is_unsure_ = false;
    const uint64_t tstate = thread_state();
    const bool would = tstate != 0 && may_walk(tstate) && !is_unsure_ &&
                       has_all_codes(arena, then) &&
                       has_all_frames(arena, then, recognised_, tstate);
    flag_.lower();
    return would;
}

}  // namespace memtrace::preload
