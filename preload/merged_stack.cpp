// SPDX-License-Identifier: Apache-2.0
#include "preload/merged_stack.h"

#include "preload/lane.h"
#include "preload/python_codes.h"
#include "preload/python_record.h"
#include "preload/python_runtime.h"
#include "preload/sys.h"

namespace memtrace::preload {
namespace {

class Merge {
public:
    Merge(Lane& lane, MergedStack& merged, StackMemo& memo, const PythonStack& pythons)
        : lane_(lane), merged_(merged), memo_(memo), python_(pythons) {}

    void run(uint32_t begin) {
        merged_.length = begin == 0 ? 0 : memo_.numbers[begin - 1];
        done_ = merged_.length - begin;
        for (uint32_t i = begin; i < memo_.length; ++i) {
            const StackFrame& frame = memo_.frames[i];
            add(expected_word(frame), frame.kind);
            if (done_ < python_.length) add_python_frames_of(frame);
            memo_.numbers[i] = merged_.length;
        }
        if (done_ == python_.length) return;
        // Nothing tells where these belong. They are not lost for that.
        while (done_ < python_.length) add(python_.frames[done_++]);
        memo_.numbers[memo_.length - 1] = merged_.length;
    }

private:
    void add(uint64_t word, NodeKind kind) {
        merged_.words[merged_.length] = word;
        merged_.kinds[merged_.length] = kind;
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

    // All that have not been added and belong no further inward.
    void add_python_frames_of(const StackFrame& loop) {
        while (done_ < python_.length && runs_in(python_.frames[done_], loop)) {
            const bool is_only_one = python_.frames[done_].anchor == PythonFrame::unknown_loop;
            add(python_.frames[done_++]);
            if (is_only_one) return;
        }
    }

    static bool is_evaluation_loop(uint64_t pc) {
        return pc - python.evaluation_begin < python.evaluation_bytes;
    }

    Lane& lane_;
    MergedStack& merged_;
    StackMemo& memo_;
    const PythonStack& python_;
    uint32_t done_ = 0;  // Python frames that have their place
};

// The frame's elements are what they were, and so are those of all frames outside of it.
bool is_unchanged(const StackMemo& memo, uint32_t frame, const PythonStack& pythons) {
    const uint32_t elements = memo.numbers[frame];
    if (elements == 0) return false;  // forgotten
    const uint32_t python_frames = elements - (frame + 1);
    if (python_frames > pythons.kept) return false;
    if (python_frames == pythons.length) return true;
    const uint64_t anchor = pythons.frames[python_frames].anchor;
    if (anchor == PythonFrame::unknown_loop) return true;
    return anchor != PythonFrame::same_loop && anchor < memo.frames[frame].sp;
}

}  // namespace

bool MergedStack::prepare(uint32_t elements) {
    if (words != nullptr) return true;
    char* room = static_cast<char*>(sys::map_private(
        elements * (sizeof *words + sizeof *paths + sizeof *ids + sizeof *kinds)));
    if (room == nullptr) return false;
    words = reinterpret_cast<uint64_t*>(room);
    paths = words + elements;
    ids = reinterpret_cast<uint32_t*>(paths + elements);
    kinds = reinterpret_cast<NodeKind*>(ids + elements);
    return true;
}

uint32_t unchanged_frames(const StackMemo& memo, const PythonStack& pythons) {
    uint32_t count = memo.kept;
    while (count > 0 && !is_unchanged(memo, count - 1, pythons)) --count;
    return count;
}

void merge_frames(Lane& lane, MergedStack& merged, StackMemo& memo, const PythonStack& pythons,
                  uint32_t begin) {
    Merge(lane, merged, memo, pythons).run(begin);
}

}  // namespace memtrace::preload
