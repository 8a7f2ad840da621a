// SPDX-License-Identifier: Apache-2.0
//
// Which thread a lane's events belong to, and what each thread did.
//
// A lane is used by one thread after the other, and a thread may move to another lane (it says
// ThreadStart there, too). So a ThreadStart with the tid of a thread that has not ended means that
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/clock.h"
#include "analyzer/model.h"

namespace memtrace::analyzer {

class Threads {
public:
    // The index of the thread that uses this lane now. Events before the lane's first ThreadStart
    // belong to a thread without number.
    uint32_t of_lane(uint32_t lane) {
        if (lane >= by_lane_.size()) [[unlikely]] by_lane_.resize(lane + 1, nobody);
        if (by_lane_[lane] == nobody) [[unlikely]] by_lane_[lane] = add(0, 0);
        return by_lane_[lane];
    }

    void start(uint32_t lane, uint64_t tid, uint64_t time) {
        if (lane >= by_lane_.size()) by_lane_.resize(lane + 1, nobody);
        const auto running = running_.find(tid);
        by_lane_[lane] = running != running_.end() ? running->second : add(tid, time);
        running_[tid] = by_lane_[lane];
    }

    void end(uint32_t lane, uint64_t time) {
        const uint32_t thread = of_lane(lane);
        threads_[thread].end_ns = time;
        running_.erase(threads_[thread].tid);
    }

    void name(uint32_t lane, std::string name) { threads_[of_lane(lane)].name = std::move(name); }

    void count_allocation(uint32_t thread, uint64_t bytes) {
        threads_[thread].allocations += 1;
        threads_[thread].allocated_bytes += bytes;
    }

    bool has_ended(uint32_t thread) const { return threads_[thread].end_ns.has_value(); }

    // All threads, with their times turned into nanoseconds.
    std::vector<ThreadInfo> finish(const TickClock& clock) {
        for (ThreadInfo& thread : threads_) {
            thread.start_ns = clock.ns(thread.start_ns);
            if (thread.end_ns) thread.end_ns = clock.ns(*thread.end_ns);
        }
        return std::move(threads_);
    }

private:
    static constexpr uint32_t nobody = 0xffffffff;

    uint32_t add(uint64_t tid, uint64_t time) {
        ThreadInfo thread;
        thread.tid = tid;
        thread.start_ns = time;  // ticks, until finish()
        threads_.push_back(thread);
        return static_cast<uint32_t>(threads_.size() - 1);
    }

    std::vector<ThreadInfo>      threads_;
    std::vector<uint32_t>        by_lane_;
    std::map<uint64_t, uint32_t> running_;  // by tid
};

}  // namespace memtrace::analyzer
