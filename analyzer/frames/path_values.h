// SPDX-License-Identifier: Apache-2.0
//
// A value of each stack that its shown frames make, one after the other, the outermost first:
//
//   value(stack) = step(value(callers), frame)
//
// Stacks share their callers, so each node is asked for its frames once, however many stacks go
// through it. A walk of each stack by itself passes each outer node once for every call site.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {

template <class Value>
class PathValues {
public:
    // `empty`: the value of a stack without frames.
    PathValues(const StackView& view, Value empty) : view_(view), empty_(empty) {}

    // Calls step(value, frame) for frames that it has not seen in such a stack yet. The step must
    // be the same in every call.
    template <class Step>
    Value of(uint32_t stack, Step&& step) {
        if (is_known_.empty()) {
            values_.resize(view_.symbols().nodes.size());
            is_known_.resize(values_.size());
        }
        const bool fold = view_.folds(stack);
        Value value = empty_;
        for (; view_.symbols().has(stack); stack = view_.symbols().nodes.parent(stack)) {
            if (is_kept(stack, fold) && is_known_[stack]) {
                value = values_[stack];
                break;
            }
            path_.push_back(stack);
        }
        for (; !path_.empty(); path_.pop_back()) value = take(path_.back(), fold, value, step);
        return value;
    }

private:
    // What is shown of callers depends on the stack: the functions that started the interpreter are
    // left out of those with Python functions. Such callers are few, and have no value of their own
    // then.
    bool is_kept(uint32_t node, bool fold) const { return view_.folds(node) == fold; }

    template <class Step>
    Value take(uint32_t node, bool fold, Value value, Step&& step) {
        view_.show(node, fold, [&](FrameId frame) { shown_.push_back(frame); });
        for (; !shown_.empty(); shown_.pop_back()) value = step(value, shown_.back());
        if (is_kept(node, fold)) {
            values_[node] = value;
            is_known_[node] = true;
        }
        return value;
    }

    const StackView view_;
    const Value empty_;
    std::vector<Value> values_;  // by node
    std::vector<bool> is_known_;
    std::vector<uint32_t> path_;  // nodes whose value is asked for, the innermost first
    std::vector<FrameId> shown_;  // of the node that is taken
};

}  // namespace memtrace::analyzer
