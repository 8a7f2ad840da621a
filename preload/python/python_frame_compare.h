// SPDX-License-Identifier: Apache-2.0
//
// Compares a thread's Python frames with those found before.
#pragma once

#include <cstdint>

#include "preload/base/bump_arena.h"
#include "preload/python/cached_python_stack.h"
#include "preload/python/python_frame_reader.h"
#include "preload/python/recognised_frames.h"

namespace memtrace::preload {

// True if a frame may have this address.
inline bool is_possible(uint64_t frame) { return (frame & 7) == 0 && frame >> 47 == 0; }

// Returns the same number, but hides from the compiler that it equals another. Given two equal
// values, the compiler may load from either, and one of them may arrive later.
inline uint64_t known_early(uint64_t number) {
    asm("" : "+r"(number));
    return number;
}

// Calls visit<chain>(). Code that reads frames is compiled for each way in which they are linked.
template <class Visit>
[[gnu::always_inline]] inline auto for_chain(PythonChain chain, Visit&& visit) {
    switch (chain) {
        case PythonChain::frame_objects:
            return visit.template operator()<PythonChain::frame_objects>();
        case PythonChain::frame_cframes:
            return visit.template operator()<PythonChain::frame_cframes>();
        case PythonChain::cframes: return visit.template operator()<PythonChain::cframes>();
        case PythonChain::shims: break;
    }
    return visit.template operator()<PythonChain::shims>();
}

// The frames of the last walk, from the innermost outward. They must still lie at the same
// addresses.
class LastFrames {
public:
    // Starts at frames[count - 1]. `is_cut` means that there were more frames.
    LastFrames(const PythonFrame* frames, uint32_t count, bool is_cut)
        : frames_(frames), count_(count), is_cut_(is_cut) {}

    bool is_done() const { return count_ == 0; }
    const PythonFrame& frame() const { return frames_[count_ - 1]; }
    uint32_t count() const { return count_; }
    void go_out() { --count_; }
    // True if the frame may be the one that is now at `address`.
    static bool may_be_at(uint64_t) { return false; }
    // True if the frame at the address may be the next one, and is not an interpreter's shim frame.
    bool goes_on_at(const PythonFrameReader<PlainMemory>& reader, uint64_t address) const {
        if (count_ > 1) return address == frames_[count_ - 2].frame;
        return address == 0 || (is_cut_ && reader.skip_shims(address) == address);
    }

private:
    const PythonFrame* frames_;
    uint32_t count_;
    bool is_cut_;
};

// The frames of a cached stack, up to those that it shares with one that lies in a row.
//
// Some frames may lie elsewhere now, as those of generators do. If many do, or some in a row lie
// equally far from where they lay, it is rather another stack: a recursion of another depth, whose
// frames look alike for long.
class CachedFrames {
public:
    CachedFrames(const BumpArena& arena, CachedPythonStack& innermost, const RecognisedFrames& row)
        : arena_(arena), row_(row), in_row_(row.count(arena)), at_(&innermost) {}

    bool is_done() const { return at_->length == 0; }
    const PythonFrame& frame() const { return at_->frame; }
    void go_out() {
        const uint16_t outer = at_->outer;
        at_ = &arena_.at<CachedPythonStack>(outer);
        const uint32_t length = at_->length;
        if (length - 1 < in_row_ && row_.place(length - 1) == outer) {
            shared_ = length;
            at_ = &arena_.at<CachedPythonStack>(BumpArena::no_place);
        }
    }
    // The number of outermost frames that are left when this is done: they are those of the row.
    uint32_t shared() const { return shared_; }
    // Goes on at one of those, counted from the outermost: it does not lie where it lay then.
    void go_on_at(uint32_t count) {
        shared_ = 0;
        at_ = &arena_.at<CachedPythonStack>(row_.place(count - 1));
    }
    bool may_be_at(uint64_t address) {
        if (!is_possible(address) || address == 0 || moves_ == moves_max) return false;
        const uint64_t distance = address - at_->frame.frame;
        equal_ = distance == last_distance_ ? equal_ + 1 : 0;
        if (equal_ == equal_max) return false;
        last_distance_ = distance;
        moved_[moves_++] = {at_, address};
        return true;
    }
    // Remembers where the frames lie now. Call if they are those of the stack: stacks share frames.
    void keep_moves() const {
        for (uint32_t i = 0; i < moves_; ++i) moved_[i].one->frame.frame = moved_[i].address;
    }
    static bool goes_on_at(const PythonFrameReader<PlainMemory>& reader, uint64_t address) {
        return reader.skip_shims(address) == address;
    }

private:
    static constexpr uint32_t moves_max = 32;
    static constexpr uint32_t equal_max = 3;

    const BumpArena& arena_;
    const RecognisedFrames& row_;
    const uint32_t in_row_;
    CachedPythonStack* at_;
    uint32_t shared_ = 0;
    struct Move {
        CachedPythonStack* one;
        uint64_t address;
    };
    Move moved_[moves_max];
    uint32_t moves_ = 0;
    uint64_t last_distance_ = 0;
    uint32_t equal_ = 0;  // frames in a row that moved as far as the one before
};

// Compares frames as long as they match. Leaves the reader and `frames` at the first difference.
template <PythonChain chain, class Frames>
[[gnu::always_inline]] inline void compare(PythonFrameReader<PlainMemory>& reader,
                                           const PythonLayout& layout, Frames& frames) {
    const uint32_t at_back = layout.frame_back;
    const uint32_t at_instruction = layout.frame_instruction;
    const uint32_t at_code = layout.frame_code;
    constexpr bool has_objects =
        chain == PythonChain::frame_objects || chain == PythonChain::frame_cframes;
    uint64_t frame = reader.frame();
    uint64_t cframe = reader.cframe();
    while (!frames.is_done()) {
        const PythonFrame& expected = frames.frame();
        // Uses `expected.frame` instead of `frame`, which was loaded from the frame before. So the
        // loads of all frames overlap.
        uint64_t at = known_early(expected.frame);
        const uint64_t anchor = known_early(expected.anchor);
        if (frame != expected.frame) [[unlikely]] {
            if (!frames.may_be_at(frame)) break;
            at = frame;
        }
        uint64_t outer = PlainMemory::word(at + at_back);
        if (has_objects) {
            if (PlainMemory::half(at + at_instruction) != expected.instruction) break;
            if (PlainMemory::word(at + at_code) != expected.code) break;
        } else {
            // The instructions lie in the code object, so they identify it.
            if (PlainMemory::word(at + at_instruction) != expected.instruction) break;
        }
        if (chain == PythonChain::shims) {
            if (expected.anchor == PythonFrame::same_loop) {
                // The next frame must be a frame of the program, as it was before.
                if (!frames.goes_on_at(reader, outer)) break;
            } else {
                if (outer != expected.anchor) break;
                outer = reader.skip_shims(PlainMemory::word(anchor + at_back));
            }
        }
        if (chain == PythonChain::cframes &&
            reader.is_entry(at) != (expected.anchor != PythonFrame::same_loop)) {
            break;
        }
        if (chain == PythonChain::frame_cframes ||
            (chain == PythonChain::cframes && expected.anchor != PythonFrame::same_loop)) {
            if (cframe != expected.anchor) break;
            cframe = PlainMemory::word(anchor + layout.cframe_previous);
        }
        frame = outer;
        frames.go_out();
    }
    reader.go_to(frame, cframe);
}

}  // namespace memtrace::preload
