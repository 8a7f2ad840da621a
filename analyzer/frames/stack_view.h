// SPDX-License-Identifier: Apache-2.0
//
// Selects the frames of a stack that a report shows. In a stack with Python functions, the C
// functions of the interpreter only repeat them, and the functions that started the interpreter add
// nothing:
//
//   the stack                              what is shown
//
//   _PyObject_Malloc   (libpython)         train.py:41 train_step
//   _PyEval_EvalFrame… (libpython)         train.py:90 <module>
//   train_step         train.py:41
//   _PyEval_EvalFrame… (libpython)
//   <module>           train.py:90
//   Py_BytesMain       (libpython)
//   __libc_start_main, _start
//
// Stacks without Python functions are shown unchanged. Frames that stand for missing Python
// functions are always shown.
#pragma once

#include <cstdint>
#include <memory>

#include "analyzer/frames/frame_facts.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class StackView {
public:
    explicit StackView(const Symbols& symbols, bool interpreter_frames = false)
        : symbols_(symbols), facts_(facts_of(symbols)), folds_(!interpreter_frames) {}

    // Calls each(frame, node) from the innermost frame to the outermost until it returns false. If
    // `depth` is not 0, stops after that many nodes with shown frames.
    template <class Each>
    void walk(uint32_t stack, Each&& each, uint32_t depth = 0) const {
        const bool fold = folds_ && symbols_.has(stack) && facts_->shows_python[stack];
        bool go_on = true;
        uint32_t count = 0;
        for (; go_on && symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
            if (depth != 0 && count == depth) return;
            const bool is_outside = fold && facts_->outside[stack];
            bool shown = false;
            for (const FrameId id : symbols_.frames_of(stack)) {
                if (fold && facts_->has(id, FrameFacts::interpreter)) continue;
                if (is_outside && !facts_->has(id, FrameFacts::gap)) continue;
                shown = true;
                go_on = go_on && each(id, stack);
            }
            count += shown;
        }
    }

    // Returns the first frame that differs only in its columns. In text both are the same line.
    FrameId line_of(FrameId frame) const { return facts_->lines[frame]; }

    const Symbols& symbols() const { return symbols_; }
    const FrameFacts& facts() const { return *facts_; }

private:
    const Symbols& symbols_;
    std::shared_ptr<const FrameFacts> facts_;
    bool folds_;
};

}  // namespace memtrace::analyzer
