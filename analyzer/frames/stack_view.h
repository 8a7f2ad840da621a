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
#include <optional>

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
        walk_on(stack, folds(stack), each, depth);
    }

    // Does the same from a node of a stack on. `fold`: folds() of the stack. Returns the node at
    // which the walk goes on.
    template <class Each>
    uint32_t walk_on(uint32_t node, bool fold, Each&& each, uint32_t depth = 0) const {
        bool go_on = true;
        uint32_t count = 0;
        for (; go_on && symbols_.has(node); node = symbols_.nodes.parent(node)) {
            if (depth != 0 && count == depth) break;
            bool shown = false;
            show(node, fold, [&](FrameId id) {
                shown = true;
                go_on = go_on && each(id, node);
            });
            count += shown;
        }
        return node;
    }

    // Does the same for interesting frames only, and passes over the other nodes quickly.
    template <class Each>
    void walk_interesting(uint32_t stack, Each&& each) const {
        const StackNodes& nodes = symbols_.nodes;
        const bool fold = folds(stack);
        bool go_on = true;
        for (; go_on && symbols_.has(stack); stack = nodes.parent(stack)) {
            if (is_dull(stack, fold)) continue;
            show(stack, fold, [&](FrameId id) {
                go_on = go_on && (!facts_->has(id, FrameFacts::interesting) || each(id, stack));
            });
        }
    }

    // True if no frame that is shown of this node is interesting. `fold`: folds() of the stack.
    bool is_dull(uint32_t node, bool fold) const {
        const unsigned dull = fold ? FrameFacts::dull_if_folded : FrameFacts::dull_location;
        return (facts_->locations[symbols_.nodes.location_of(node)] & dull) != 0;
    }

    // True if interpreter frames of this stack are left out.
    bool folds(uint32_t stack) const {
        return folds_ && symbols_.has(stack) && facts_->shows_python(stack);
    }

    // Calls each(frame) for the shown frames of one node, innermost first.
    template <class Each>
    void show(uint32_t node, bool fold, Each&& each) const {
        const bool is_outside = fold && facts_->is_outside(node);
        for (const FrameId id : symbols_.frames_of(node)) {
            if (fold && facts_->has(id, FrameFacts::interpreter)) continue;
            if (is_outside && !facts_->has(id, FrameFacts::gap)) continue;
            each(id);
        }
    }

    // Returns the innermost backward frame of the stack, or nothing.
    std::optional<FrameId> backward_of(uint32_t stack) const {
        if (!symbols_.has(stack) || !facts_->runs_backward(stack)) return std::nullopt;
        return symbols_.backward_of(stack);
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
