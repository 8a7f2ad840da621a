// SPDX-License-Identifier: Apache-2.0
//
// Follows the call stack of one thread from event to event. Two stacks in a row have their outer
// part in common. Where they part, the thread went on in a function or called another one:
//
//   event before     main:88 ─ step:12 ─ make:3 ─ malloc
//   event            main:88 ─ step:14 ─ malloc
//                              ^^^^^^^ turn from step:12 to step:14; left make:3, entered malloc
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/long_list.h"
#include "analyzer/base/pair_map.h"
#include "analyzer/model/stack_nodes.h"
#include "memtrace/dump/python_records.h"

namespace memtrace::analyzer {

// The stacks of a dump as paths see them. All threads share it.
//
// The interpreter's own frame around a function of Python is left out: its return address changes
// with each instruction, and would hide that the function goes on. So several nodes can be one
// frame of a path, and the first of them that is met stands for all:
//
//   nodes    eval+0x10 ─ main:3 ─ malloc         frames    main:3 ─ malloc
//            eval+0x90 ─ main:3 ─ realloc                  main:3 ─ realloc
class PathFrames {
public:
    explicit PathFrames(StackNodes nodes) : nodes_(std::move(nodes)) {}

    // Returns the node that stands for the innermost frame of `stack`; no_stack if its outer frames
    // are unknown.
    uint32_t of(uint32_t stack) {
        if (stack >= nodes_.size()) return no_stack;
        frames_.grow_to(nodes_.size());
        pending_.clear();
        uint32_t outer = no_stack;
        for (uint32_t node = stack; node != no_stack; node = caller_of(node)) {
            if (frames_[node].depth != 0) {
                outer = node;
                break;
            }
            pending_.push_back(node);
        }
        for (size_t i = pending_.size(); i-- > 0; outer = pending_[i]) add(pending_[i], outer);
        return frames_[stack].depth == unknown ? no_stack : frames_[stack].frame;
    }

    // Leaves out the frames of a module. Call before a stack has one of them.
    void leave_out(uint32_t module) { left_out_.push_back(module); }

    // The next functions are about nodes that of() has returned.
    uint32_t depth(uint32_t frame) const { return frames_[frame].depth; }
    // True if the frame may be a line of the program: one of Python, or a native one outside of it.
    bool may_be_line(uint32_t frame) const {
        return !frames_[frame].is_in_python || kind(frame) == NodeKind::python;
    }
    // Returns the frame around it; no_stack if there is none.
    uint32_t outer(uint32_t frame) const { return frames_[frame].outer; }

    // archive.h. Frames follow from what is the same.
    static void state(auto& self, auto& each) {
        each(self.same_, self.left_out_);
        each.check([&] { return self.same_.are_below(static_cast<uint32_t>(self.nodes_.size())); },
                   "a frame in it is not there");
    }

private:
    static constexpr uint32_t unknown = 0xffffffff;

    struct FrameOf {
        uint32_t depth = 0;  // number of frames from here outwards; 0: not found yet
        uint32_t frame = no_stack;
        uint32_t outer = no_stack;  // the frame around it
        bool is_in_python = false;  // a function of Python, or called by one
    };

    NodeKind kind(uint32_t node) const { return nodes_.location(nodes_.location_of(node)).kind; }
    uint32_t caller_of(uint32_t node) const {
        uint32_t parent = nodes_.parent(node);
        if (is_evaluated(node)) parent = nodes_.parent(parent);
        while (parent != no_stack && is_left_out(parent)) parent = nodes_.parent(parent);
        return parent;
    }
    bool is_left_out(uint32_t node) const {
        if (left_out_.empty()) return false;
        const uint32_t module = nodes_.location(nodes_.location_of(node)).module;
        return std::find(left_out_.begin(), left_out_.end(), module) != left_out_.end();
    }
    bool is_evaluated(uint32_t node) const {
        const uint32_t parent = nodes_.parent(node);
        return parent != no_stack && kind(node) == NodeKind::python &&
               (kind(parent) == NodeKind::native || kind(parent) == NodeKind::guessed);
    }
    bool is_sound(uint32_t node) const {
        const Location& location = nodes_.location(nodes_.location_of(node));
        const bool is_gap =
            location.kind == NodeKind::python && python_code_of(location.address) == 0;
        return location.defined && location.kind != NodeKind::truncated && !is_gap;
    }

    void add(uint32_t node, uint32_t caller) {
        FrameOf& found = frames_[node];
        const FrameOf around = caller == no_stack ? FrameOf{} : frames_[caller];
        if (around.depth == unknown || !is_sound(node)) {
            found.depth = unknown;
            return;
        }
        found.depth = around.depth + 1;
        found.outer = around.frame;
        found.is_in_python = around.is_in_python || kind(node) == NodeKind::python;
        found.frame = node;
        if (!found.is_in_python) return;
        found.frame = same_.try_emplace(around.frame, nodes_.location_of(node), node).first;
        // It was met before the state was stored.
        if (frames_[found.frame].depth == 0) frames_[found.frame] = found;
    }

    StackNodes nodes_;
    LongList<FrameOf> frames_;  // by node
    // By frame around it and location: the node that stands for such nodes.
    PairMap<uint32_t> same_;
    std::vector<uint32_t> pending_;
    std::vector<uint32_t> left_out_;  // modules
};

class StackPath {
public:
    // Goes to `stack`, and calls one of
    //   sink.repeat(stack)     the same stack again
    //   sink.turn(from, to)    siblings; no_stack: one of the stacks ended where they parted
    // and for all nodes inside `from` and `to`
    //   sink.leave(node)
    //   sink.enter(node)
    // and for `from` and all nodes inside of it
    //   sink.stay(node, stacks)  the number of stacks one after another that had it
    // Returns the stack's innermost frame. Does nothing, and returns no_stack, if the stack's outer
    // frames are unknown.
    template <class Sink>
    uint32_t go_to(uint32_t stack, PathFrames& frames, Sink&& sink) {
        const uint32_t frame = frames.of(stack);
        if (frame == no_stack) return no_stack;
        count_ += 1;
        if (!path_.empty() && path_.back() == frame) {
            sink.repeat(frame);
            return frame;
        }
        fresh_.clear();
        uint32_t node = frame;
        size_t common = frames.depth(frame);
        while (common > path_.size() || (common > 0 && path_[common - 1] != node)) {
            fresh_.push_back(node);
            node = frames.outer(node);
            common -= 1;
        }
        const uint32_t from = common < path_.size() ? path_[common] : no_stack;
        const uint32_t to = fresh_.empty() ? no_stack : fresh_.back();
        for (size_t i = path_.size(); i > common; --i) {
            sink.stay(path_[i - 1], count_ - since_[i - 1]);
            if (i > common + 1) sink.leave(path_[i - 1]);
        }
        sink.turn(from, to);
        path_.resize(common);
        if (to != no_stack) {
            path_.push_back(to);
            for (size_t i = fresh_.size() - 1; i-- > 0;) {
                sink.enter(fresh_[i]);
                path_.push_back(fresh_[i]);
            }
        }
        since_.resize(common);
        since_.resize(path_.size(), count_);
        return frame;
    }

    // Calls sink.leave(node) for all nodes of the path, and forgets it.
    template <class Sink>
    void end(Sink&& sink) {
        for (size_t i = path_.size(); i > 0; --i) {
            sink.stay(path_[i - 1], count_ + 1 - since_[i - 1]);
            sink.leave(path_[i - 1]);
        }
        path_.clear();
        since_.clear();
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.path_, self.since_, self.count_);
        each.check([&] { return self.path_.size() == self.since_.size(); },
                   "a path in it has frames of no age");
    }

private:
    std::vector<uint32_t> path_;   // outermost first
    std::vector<uint64_t> since_;  // by frame of the path: the stack with which it came
    uint64_t count_ = 0;           // stacks so far
    std::vector<uint32_t> fresh_;  // the new part of the path, innermost first
};

}  // namespace memtrace::analyzer
