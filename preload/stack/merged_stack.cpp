// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/merged_stack.h"

#include "preload/base/sys.h"
#include "preload/python/python_codes.h"
#include "preload/python/python_runtime.h"
#include "preload/stack/python_code_records.h"
#include "preload/stack/stack_table.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

bool is_evaluation_loop(uint64_t pc) {
    return pc - python.evaluation_begin < python.evaluation_bytes;
}

[[gnu::hot]] int32_t spare_loops(const StackMemo& memo, const PythonStack& pythons) {
    if (pythons.length == 0 || pythons.frames[0].anchor != PythonFrame::unknown_loop) return 0;
    int32_t loops = 0;
    for (uint32_t i = 0; i < memo.length; ++i) loops += is_evaluation_loop(memo.frames[i].pc);
    return loops == 0 ? 0 : loops - static_cast<int32_t>(pythons.length);
}

class Merge {
public:
    Merge(Lane& lane, MergedStack& merged, StackMemo& memo, const PythonStack& pythons)
        : lane_(lane), merged_(merged), memo_(memo), python_(pythons) {}

    // Returns the place of the first element that may differ from what was there.
    uint32_t run(uint32_t begin) {
        const uint32_t first = begin == 0 ? 0 : memo_.numbers[begin - 1];
        if (python_.length + gaps_ == 0 && merged_.spare_loops == 0) {
            add_native(begin);
            return first;
        }
        merged_.length = first;
        done_ = begin == 0 ? 0 : merged_.length - begin - gaps_;
        find_outer_loop();
        const uint32_t changed = pass_unchanged(begin);
        for (uint32_t i = begin; i < memo_.length; ++i) {
            const StackFrame& frame = memo_.frames[i];
            if (i != begin || changed == first) add(frame.pc, frame.kind);
            if (i == 0) add_outermost();
            if (done_ < python_.length && i >= outer_loop_) add_python_frames_of(frame);
            memo_.numbers[i] = merged_.length;
        }
        // Nothing tells where these frames belong, but they are kept.
        while (done_ < python_.length) add(python_.frames[done_++]);
        memo_.numbers[memo_.length - 1] = merged_.length;
        return changed;
    }

private:
    // One evaluation loop runs all frames of a deep recursion. If the loop is as it was, passes
    // over its element and those of its outer frames, which both walks kept. Returns the end of
    // them.
    uint32_t pass_unchanged(uint32_t begin) {
        if (begin == 0 || begin >= memo_.kept || memo_.numbers[begin] == 0) return merged_.length;
        if (begin < outer_loop_) return merged_.length;
        const uint32_t end = memo_.numbers[begin];
        merged_.length += 1;
        while (merged_.length < end && done_ < python_.kept &&
               python_.frames[done_].anchor != PythonFrame::unknown_loop &&
               runs_in(python_.frames[done_], memo_.frames[begin])) {
            merged_.length += 1;
            done_ += 1;
        }
        return merged_.length;
    }

    // Adds nothing but the memo's frames.
    void add_native(uint32_t begin) {
        for (uint32_t i = begin; i < memo_.length; ++i) {
            const StackFrame& frame = memo_.frames[i];
            merged_.words[i] = node_word(frame.pc, frame.kind);
            memo_.numbers[i] = i + 1;
        }
        merged_.length = memo_.length;
    }

    // Finds the native frame from which on frames belong to loops. It is not the first native
    // frame if the frames that tell are missing: the outermost loop's call was cut off, or there
    // are fewer frames than loops.
    void find_outer_loop() {
        if (python_.length == 0) return;
        const uint64_t anchor = python_.frames[0].anchor;
        if (anchor == PythonFrame::unknown_loop) outer_loop_ = first_loop_with_frame();
        else if (anchor == PythonFrame::same_loop) outer_loop_ = loop_outside_of(next_anchor());
    }

    // Returns the address of a loop's object that the frames lead to; 0 if all frames are of one
    // loop.
    uint64_t next_anchor() const {
        for (uint32_t i = 0; i < python_.length; ++i) {
            const uint64_t anchor = python_.frames[i].anchor;
            if (anchor != PythonFrame::same_loop) return anchor;
        }
        return 0;
    }

    // Returns the innermost loop outside the native frame that contains `anchor`.
    uint32_t loop_outside_of(uint64_t anchor) const {
        uint32_t found = 0;
        for (uint32_t i = 0; i < memo_.length && memo_.frames[i].sp > anchor; ++i) {
            if (is_evaluation_loop(memo_.frames[i].pc)) found = i;
        }
        return found;
    }

    uint32_t first_loop_with_frame() const {
        int32_t left = merged_.spare_loops;
        uint32_t i = 0;
        for (; left > 0 && i < memo_.length; ++i) left -= is_evaluation_loop(memo_.frames[i].pc);
        return i;
    }

    // Adds what is outside all loops that can be seen.
    void add_outermost() {
        if (gaps_ != 0) add(python_gap_address(merged_.gap), NodeKind::python);
        for (int32_t i = merged_.spare_loops; i < 0; ++i) add(python_.frames[done_++]);
    }

    void add(uint64_t address, NodeKind kind) {
        merged_.words[merged_.length] = node_word(address, kind);
        merged_.length += 1;
    }

    void add(const PythonFrame& frame) {
        const uint32_t code = python_code_id(frame.code, define_python_code, &lane_);
        const uint32_t position = python_position(python.layout, frame.code, frame.instruction);
        add(python_address(code, position), NodeKind::python);
    }

    bool runs_in(const PythonFrame& frame, const StackFrame& loop) const {
        if (frame.anchor == PythonFrame::same_loop) return true;
        if (frame.anchor == PythonFrame::unknown_loop) return is_evaluation_loop(loop.pc);
        return frame.anchor >= loop.sp;
    }

    // Adds all frames that have not been added and belong no further inward.
    void add_python_frames_of(const StackFrame& loop) {
        while (done_ < python_.length && runs_in(python_.frames[done_], loop)) {
            const bool is_only_one = python_.frames[done_].anchor == PythonFrame::unknown_loop;
            add(python_.frames[done_++]);
            if (is_only_one) return;
        }
    }

    Lane& lane_;
    MergedStack& merged_;
    StackMemo& memo_;
    const PythonStack& python_;
    const uint32_t gaps_ = merged_.gap != PythonGap::unnamed;
    uint32_t outer_loop_ = 0;
    uint32_t done_ = 0;  // Python frames that have been added
};

// True if the frame's elements are unchanged, and so are those of all frames outside it.
bool is_unchanged(const StackMemo& memo, uint32_t frame, const PythonStack& pythons,
                  uint32_t gaps) {
    const uint32_t elements = memo.numbers[frame];
    if (elements == 0) return false;  // forgotten
    const uint32_t python_frames = elements - (frame + 1) - gaps;
    if (python_frames > pythons.kept) return false;
    if (python_frames == pythons.length) return true;
    const uint64_t anchor = pythons.frames[python_frames].anchor;
    if (anchor == PythonFrame::unknown_loop) return true;
    return anchor != PythonFrame::same_loop && anchor < memo.frames[frame].sp;
}

}  // namespace

bool MergedStack::prepare(uint32_t elements) {
    if (words != nullptr) return true;
    char* room = static_cast<char*>(
        sys::map_private(elements * (sizeof *words + sizeof *paths + sizeof *ids)));
    if (room == nullptr) return false;
    words = reinterpret_cast<uint64_t*>(room);
    paths = words + elements;
    ids = reinterpret_cast<uint32_t*>(paths + elements);
    return true;
}

[[gnu::hot]] uint32_t unchanged_frames(const MergedStack& merged, const StackMemo& memo,
                                       const PythonStack& pythons) {
    if (merged.gap != gap_of(pythons.status)) [[unlikely]]
        return 0;
    const uint32_t gaps = merged.gap != PythonGap::unnamed;
    uint32_t count = memo.kept;
    const bool is_same = count == memo.length && pythons.kept == pythons.length &&
                         count + pythons.length + gaps == merged.length;
    if (!is_same && spare_loops(memo, pythons) != merged.spare_loops) return 0;
    while (count > 0 && !is_unchanged(memo, count - 1, pythons, gaps)) --count;
    return count;
}

[[gnu::hot]] uint32_t merge_frames(Lane& lane, MergedStack& merged, StackMemo& memo,
                                   const PythonStack& pythons, uint32_t begin) {
    merged.gap = gap_of(pythons.status);
    merged.spare_loops = spare_loops(memo, pythons);
    return Merge(lane, merged, memo, pythons).run(begin);
}

}  // namespace memtrace::preload
