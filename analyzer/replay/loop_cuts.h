// SPDX-License-Identifier: Apache-2.0
//
// Feeds the events of a dump to LoopSteps, with the threads that they belong to.
#pragma once

#include <cstdint>
#include <utility>

#include "analyzer/reader/event.h"
#include "analyzer/replay/loop_steps.h"
#include "analyzer/replay/threads.h"

namespace memtrace::analyzer {

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

class LoopCuts {
public:
    // `loop` must outlive the object.
    LoopCuts(const LoopTurns& loop, StackNodes nodes) : steps_(loop), frames_(std::move(nodes)) {}

    LoopSteps::Step take(uint32_t lane, const Event& event) {
        const uint32_t stack = stack_of_acquisition(event);
        if (stack != no_stack) return steps_.take(threads_.of_lane(lane), stack, frames_);
        if (const auto* start = record_if<ThreadStart>(event)) {
            threads_.start(lane, start->tid, start->time);
        } else if (const auto* end = record_if<ThreadEnd>(event)) {
            steps_.end_thread(threads_.of_lane(lane));
            threads_.end(lane, end->time);
        }
        return LoopSteps::Step::none;
    }

private:
    LoopSteps steps_;
    PathFrames frames_;
    Threads threads_;
};

}  // namespace memtrace::analyzer
