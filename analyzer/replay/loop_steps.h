// SPDX-License-Identifier: Apache-2.0
//
// Recognises the steps of one loop while a dump is replayed: an acquisition whose stack makes one
// of the loop's turns, or enters the loop, begins a step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tsl/robin_set.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/base/tick_clock.h"
#include "analyzer/reader/event.h"
#include "analyzer/replay/stack_path.h"
#include "analyzer/replay/threads.h"

namespace memtrace::analyzer {

// The places of a loop in the stacks of a dump.
struct LoopTurns {
    std::vector<uint64_t> begins;   // turns that begin a step: from << 32 | to
    std::vector<uint32_t> entries;  // nodes that begin a step if they are entered below a turn
    std::vector<uint32_t> inside;   // nodes of the loop's lines
    std::string name;               // "train.py:88"
    uint64_t count = 0;             // number of the steps; 0: not known
    // The frames of the whole dump, from the pass that found the loop. Null: they are made anew.
    std::shared_ptr<PathFrames> frames;
};

class LoopSteps {
public:
    enum class Step : uint8_t { none, begins, ends };

    // `loop` must outlive the object.
    explicit LoopSteps(const LoopTurns& loop) {
        begins_.insert(loop.begins.begin(), loop.begins.end());
        entries_.insert(loop.entries.begin(), loop.entries.end());
        inside_.insert(loop.inside.begin(), loop.inside.end());
    }

    // An acquisition of this thread. `frames` are those of the dump's nodes.
    Step take(uint32_t thread, uint32_t stack, PathFrames& frames) {
        if (thread >= threads_.size()) threads_.resize(thread + 1);
        Thread& at = threads_[thread];
        const bool was_inside = at.inside > 0;
        Sink sink{*this, at};
        at.path.go_to(stack, frames, sink);
        if (sink.begins) return Step::begins;
        return was_inside && at.inside == 0 ? Step::ends : Step::none;
    }

    void end_thread(uint32_t thread) {
        if (thread < threads_.size()) threads_[thread] = {};
    }

    // True if a thread is in a step that nothing has ended.
    bool is_inside() const {
        return std::any_of(threads_.begin(), threads_.end(),
                           [](const Thread& thread) { return thread.inside > 0; });
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.threads_); }

private:
    struct Thread {
        StackPath path;
        uint32_t inside = 0;  // nodes of the path that are lines of the loop

        static void state(auto& self, auto& each) { each(self.path, self.inside); }
    };
    struct Sink {
        LoopSteps& steps;
        Thread& thread;
        bool begins = false;

        void repeat(uint32_t node) { turn(node, node); }
        void turn(uint32_t from, uint32_t to) {
            begins |= steps.begins_.contains(uint64_t{from} << 32 | to);
            if (from == to) return;
            if (from != no_stack) leave(from);
            if (to != no_stack) thread.inside += steps.inside_.contains(to);
        }
        void enter(uint32_t node) {
            begins |= steps.entries_.contains(node);
            thread.inside += steps.inside_.contains(node);
        }
        void stay(uint32_t, uint64_t) {}
        void leave(uint32_t node) { thread.inside -= steps.inside_.contains(node); }
    };

    tsl::robin_set<uint64_t, NumberHash> begins_;
    tsl::robin_set<uint32_t, NumberHash> entries_;
    tsl::robin_set<uint32_t, NumberHash> inside_;
    std::vector<Thread> threads_;
};

// Returns the stack of an event by which loops are found, or no_stack. Python's own small objects
// are left out, because a sample of them is chosen by chance.
inline uint32_t stack_of_acquisition(const Event& event) {
    if (const auto* acquire = std::get_if<Acquire>(&event.record)) {
        return is_object_api(acquire->api) ? no_stack : acquire->stack;
    }
    if (const auto* end = record_if<ResizeEnd>(event)) return end->resize.stack;
    if (const auto* map = record_if<Map>(event)) return map->stack;
    if (const auto* acquire = record_if<GpuAcquire>(event)) return acquire->stack;
    if (const auto* acquire = record_if<TensorAcquire>(event)) return acquire->stack;
    return no_stack;
}

// Returns the bytes of such an event.
inline uint64_t bytes_of_acquisition(const Event& event) {
    if (const auto* acquire = std::get_if<Acquire>(&event.record)) return acquire->size;
    if (const auto* end = record_if<ResizeEnd>(event)) return end->resize.size;
    if (const auto* map = record_if<Map>(event)) return map->size;
    if (const auto* acquire = record_if<GpuAcquire>(event)) return acquire->size;
    if (const auto* acquire = record_if<TensorAcquire>(event)) return acquire->size;
    return 0;
}

// Feeds the events of a dump to LoopSteps, with the threads that they belong to.
class LoopCuts {
public:
    // `loop` must outlive the object.
    LoopCuts(const LoopTurns& loop, StackNodes nodes)
        : steps_(loop),
          frames_(loop.frames ? loop.frames : std::make_shared<PathFrames>(std::move(nodes))) {}

    LoopSteps::Step take(uint32_t lane, const Event& event) {
        const uint32_t stack = stack_of_acquisition(event);
        if (stack != no_stack) return steps_.take(threads_.of_lane(lane), stack, *frames_);
        if (const auto* start = record_if<ThreadStart>(event)) {
            const bool is_second_hand = threads_.start(lane, start->tid, start->time);
            if (is_second_hand) steps_.end_thread(threads_.of_lane(lane));
        } else if (const auto* end = record_if<ThreadEnd>(event)) {
            steps_.end_thread(threads_.of_lane(lane));
            threads_.end(lane, end->time);
        }
        return LoopSteps::Step::none;
    }
    bool is_inside() const { return steps_.is_inside(); }

    // archive.h
    static void state(auto& self, auto& each) { each(self.steps_, *self.frames_, self.threads_); }

private:
    LoopSteps steps_;
    std::shared_ptr<PathFrames> frames_;
    Threads threads_;
};

// When the steps of one loop began. Times in nanoseconds from the start of the recording.
struct StepTimes {
    std::vector<uint64_t> begins;
    uint64_t end = 0;  // when the last step ended, or the recording
};

// Notes when the steps of a loop began.
class LoopClock {
public:
    // `count`: as LoopTurns::count
    explicit LoopClock(uint64_t count) : count_(count) {}

    // An event at this time, and what it is in the loop.
    void take(uint64_t time, LoopSteps::Step step) {
        last_ = std::max(last_, time);
        if (step == LoopSteps::Step::none) return;
        // The head of a loop may run once more than its body.
        const bool is_over = count_ != 0 && times_.begins.size() == count_;
        if (step == LoopSteps::Step::begins && !is_over) {
            times_.begins.push_back(last_);
            is_open_ = true;
        } else if (is_open_) {
            times_.end = last_;
            is_open_ = false;
        }
    }

    // `clock` must be settled.
    StepTimes finish(const TickClock& clock) {
        if (is_open_) times_.end = last_;
        for (uint64_t& begin : times_.begins) begin = clock.ns(begin);
        times_.end = clock.ns(times_.end);
        return std::move(times_);
    }

private:
    uint64_t count_;
    StepTimes times_;  // in ticks until finish()
    uint64_t last_ = 0;
    bool is_open_ = false;  // The last step has not ended.
};

}  // namespace memtrace::analyzer
