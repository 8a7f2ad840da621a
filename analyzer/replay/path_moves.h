// SPDX-License-Identifier: Apache-2.0
//
// Counts how the call stacks of all threads change from one acquisition to the next
// (stack_path.h). Loops are found by it: a loop makes the same turns again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/base/long_list.h"
#include "analyzer/base/pair_map.h"
#include "analyzer/replay/stack_path.h"

namespace memtrace::analyzer {

// Stacks that followed each other parted at these siblings. The same node twice is a stack that
// came again.
struct PathTurn {
    uint32_t from = no_stack;  // no_stack: the stack before ended there
    uint32_t to = no_stack;    // no_stack: the stack after it did
    uint64_t count = 0;
    uint32_t thread = 0;                            // that made it first
    const std::vector<uint8_t>* threads = nullptr;  // 1 for each that made it; null: only `thread`
    uint64_t first = 0;                             // time in ticks, about
    uint64_t last = 0;
};

class PathMoves {
public:
    explicit PathMoves(const StackNodes& nodes) : frames_(std::make_shared<PathFrames>(nodes)) {}

    // An acquisition of so many bytes at `stack`. Threads are numbered from 0.
    void take(uint32_t thread, uint32_t stack, uint64_t time, uint64_t bytes = 0) {
        if (thread >= paths_.size()) [[unlikely]]
            paths_.resize(thread + 1);
        const uint32_t frame = paths_[thread].go_to(stack, *frames_, Sink{*this, thread, time});
        if (frame == no_stack) return;
        taken_.grow_to(size_t{frame} + 1);
        taken_[frame].add(time, bytes);
    }
    void end_thread(uint32_t thread) {
        if (thread < paths_.size()) paths_[thread].end(Sink{*this, thread, 0});
    }
    // Call after the last event.
    void finish() {
        for (uint32_t thread = 0; thread < paths_.size(); ++thread) end_thread(thread);
        sum_taken();
    }

    // The object must outlive the turns.
    std::vector<PathTurn> turns() const;
    // Returns the frame around the siblings of a turn.
    uint32_t caller_of(const PathTurn& turn) const {
        return frames_->outer(turn.to != no_stack ? turn.to : turn.from);
    }
    const std::shared_ptr<PathFrames>& frames() const { return frames_; }
    // Returns the number of stacks, one after another, that had the frame nearly each time that it
    // came; the largest number if that varies.
    uint64_t usual_stay(uint32_t frame) const {
        const Stay* stay = stay_of(frame);
        if (stay == nullptr) return 0;
        return stay->is_regular() ? stay->usual : stay->most;
    }
    // True if the frame was there for the same number of stacks, one after another, nearly each
    // time that it came; what is first or last may differ. False too if that is not known.
    bool is_regular(uint32_t frame) const {
        const Stay* stay = stay_of(frame);
        return stay != nullptr && stay->is_regular();
    }
    // True if the last of these times has far more stacks than all others together.
    bool outlasts(uint32_t frame) const {
        const Stay* stay = stay_of(frame);
        return stay != nullptr && stay->outlasts();
    }
    // How often the node was entered or left below a turn.
    uint64_t entered(uint32_t node) const { return node < entered_.size() ? entered_[node] : 0; }
    uint64_t left(uint32_t node) const { return node < left_.size() ? left_[node] : 0; }

    // The next three are about all that was taken at the frame or inside of it. Call finish()
    // before.
    uint64_t count_inside(uint32_t node) const { return taken_at(node).count; }
    // Returns the time in ticks of the last of it; 0: nothing was.
    uint64_t last_inside(uint32_t node) const { return taken_at(node).last; }
    // True if all of it made something larger, as a list or a buffer does now and then: how often
    // the program came there is not told by it.
    bool only_grows(uint32_t node) const { return taken_at(node).grows(); }

private:
    // What was taken at one stack, and after finish() at all stacks of a frame.
    struct Taken {
        uint64_t last = 0;   // in ticks
        uint64_t bytes = 0;  // the last time
        uint32_t count = 0;
        bool is_plain = false;  // Some time, it was not larger than before.

        void add(uint64_t time, uint64_t size) {
            constexpr uint64_t step = 20;  // Growing buffers grow by more than a 20th.
            if (count > 0) is_plain |= size <= bytes + bytes / step;
            count += count != 0xffffffff;
            bytes = size;
            last = std::max(last, time);
        }
        void add_inside(const Taken& inside) {
            count = std::max(count, inside.count);
            last = std::max(last, inside.last);
            is_plain |= inside.is_plain;
        }
        bool grows() const { return count > 0 && !is_plain; }
    };

    struct Count {
        uint64_t first = 0;  // in ticks
        uint64_t last = 0;
        uint32_t count = 0;
        uint32_t thread = 0;  // or `several`, and the place in several_
    };
    static constexpr uint32_t several = uint32_t{1} << 31;
    struct Sink {
        PathMoves& moves;
        uint32_t thread;
        uint64_t time;

        void repeat(uint32_t node) const { moves.count(node, node, thread, time); }
        void turn(uint32_t from, uint32_t to) const { moves.count(from, to, thread, time); }
        void enter(uint32_t node) const { moves.add(moves.entered_, node); }
        void leave(uint32_t node) const { moves.add(moves.left_, node); }
        void stay(uint32_t node, uint64_t stacks) const { moves.add_stay(node, stacks); }
    };
    // How many stacks one after another had a frame.
    struct Stay {
        uint32_t most = 0;
        uint32_t count = 0;    // of stays
        uint32_t usual = 0;    // number of stacks of most stays
        uint32_t balance = 0;  // stays that had as many, less those that had not
        uint32_t earlier = 0;  // stacks of all stays but the last
        uint32_t last = 0;     // stacks of the last

        void add(uint32_t stacks) {
            earlier += std::min(last, 0xffffffff - earlier);
            last = stacks;
            most = std::max(most, stacks);
            count += 1;
            if (balance == 0) usual = stacks;
            if (usual == stacks) balance += 1;
            else balance -= 1;
        }
        bool is_regular() const { return uint64_t{balance} * 5 >= uint64_t{count} * 4; }
        bool outlasts() const {
            constexpr uint64_t far_more = 3, stacks_min = 16;
            return count > 1 && last >= stacks_min && last > far_more * earlier;
        }
    };

    void count(uint32_t from, uint32_t to, uint32_t thread, uint64_t time) {
        Count& count = turns_.try_emplace(to, from, {time, time, 0, thread}).first;
        count.count += count.count != 0xffffffff;
        count.last = time;
        if (count.thread != thread) [[unlikely]]
            add_thread(count, thread);
    }
    void add_thread(Count& count, uint32_t thread) {
        if ((count.thread & several) == 0) {
            several_.push_back({count.thread, {}});
            mark(several_.back().second, count.thread);
            count.thread = several | static_cast<uint32_t>(several_.size() - 1);
        }
        mark(several_[count.thread & ~several].second, thread);
    }
    static void mark(std::vector<uint8_t>& threads, uint32_t thread) {
        if (thread >= threads.size()) threads.resize(thread + 1);
        threads[thread] = 1;
    }
    void add_stay(uint32_t frame, uint64_t stacks) {
        if (!frames_->may_be_line(frame)) return;
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(stacks, 0xffffffff));
        stay_places_.grow_to(size_t{frame} + 1);
        uint32_t& place = stay_places_[frame];
        if (place == 0) {
            stays_.push_back({});
            place = static_cast<uint32_t>(stays_.size());
        }
        stays_[place - 1].add(count);
    }
    const Stay* stay_of(uint32_t frame) const {
        if (frame >= stay_places_.size() || stay_places_[frame] == 0) return nullptr;
        return &stays_[stay_places_[frame] - 1];
    }
    Taken taken_at(uint32_t node) const {
        const uint32_t frame = frames_->of(node);
        return frame < taken_.size() ? taken_[frame] : Taken{};
    }
    void sum_taken();
    void add(LongList<uint32_t>& counts, uint32_t node) {
        counts.grow_to(size_t{node} + 1);
        counts[node] += counts[node] != 0xffffffff;
    }

    std::shared_ptr<PathFrames> frames_;
    std::vector<StackPath> paths_;  // by thread
    PairMap<Count> turns_;          // by `to` and `from`
    // Threads of turns that several made: the first of them, and 1 for each.
    std::deque<std::pair<uint32_t, std::vector<uint8_t>>> several_;
    LongList<Stay> stays_;            // of frames that may be lines
    LongList<uint32_t> stay_places_;  // by frame: 1 + place in stays_; 0: none
    LongList<uint32_t> entered_;      // by node, as is the next
    LongList<uint32_t> left_;
    LongList<Taken> taken_;  // by frame
};

}  // namespace memtrace::analyzer
