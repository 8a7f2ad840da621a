// SPDX-License-Identifier: Apache-2.0
//
// Tells which thread the events of a lane belong to, and counts the allocations of each thread.
//
// A lane is used by one thread after another, and a thread may move to another lane, where it
// writes ThreadStart again. So a ThreadStart with the tid of a thread that has not ended means
// that thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class Threads {
public:
    // Returns the index of the thread that uses this lane now. Events before the lane's first
    // ThreadStart belong to a thread without a number.
    uint32_t of_lane(uint32_t lane) {
        if (lane >= by_lane_.size()) [[unlikely]]
            by_lane_.resize(lane + 1, nobody);
        if (by_lane_[lane] == nobody) [[unlikely]]
            by_lane_[lane] = add(0, 0);
        return by_lane_[lane];
    }

    // True if the lane has or had a thread.
    bool knows(uint32_t lane) const { return lane < by_lane_.size() && by_lane_[lane] != nobody; }
    size_t lanes() const { return by_lane_.size(); }

    void start(uint32_t lane, uint64_t tid, uint64_t time) {
        if (lane >= by_lane_.size()) by_lane_.resize(lane + 1, nobody);
        const auto last = newest_.find(tid);
        const bool goes_on = last != newest_.end() && !has_ended(last->second);
        by_lane_[lane] = goes_on ? last->second : add(tid, time);
        newest_[tid] = by_lane_[lane];
    }

    void end(uint32_t lane, uint64_t time) { threads_[of_lane(lane)].end_ns = time; }

    // A tid of 0 means the lane's thread. Names of threads without a ThreadStart are ignored.
    void name(uint32_t lane, uint64_t tid, std::string name) {
        const auto known = tid != 0 ? newest_.find(tid) : newest_.end();
        if (tid != 0 && known == newest_.end()) return;
        threads_[tid != 0 ? known->second : of_lane(lane)].name = std::move(name);
    }

    void count_allocation(uint32_t thread, uint64_t bytes, uint64_t blocks = 1) {
        threads_[thread].allocations += blocks;
        threads_[thread].allocated_bytes += bytes;
    }

    bool has_ended(uint32_t thread) const { return threads_[thread].end_ns.has_value(); }

    // False if a lane has a thread that is not there. An archive may say anything.
    bool is_sound() const {
        const auto is_one = [this](uint32_t thread) {
            return thread == nobody || thread < threads_.size();
        };
        return std::all_of(by_lane_.begin(), by_lane_.end(), is_one) &&
               std::all_of(newest_.begin(), newest_.end(),
                           [&](const auto& entry) { return is_one(entry.second); });
    }
    // Returns all threads, with their times in nanoseconds.
    std::vector<ThreadInfo> finish(const TickClock& clock) {
        for (ThreadInfo& thread : threads_) {
            thread.start_ns = clock.ns(thread.start_ns);
            if (thread.end_ns) thread.end_ns = clock.ns(*thread.end_ns);
        }
        return std::move(threads_);
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.threads_, self.by_lane_, self.newest_); }

private:
    static constexpr uint32_t nobody = 0xffffffff;

    uint32_t add(uint64_t tid, uint64_t time) {
        ThreadInfo thread;
        thread.tid = tid;
        thread.start_ns = time;  // in ticks until finish()
        threads_.push_back(thread);
        return static_cast<uint32_t>(threads_.size() - 1);
    }

    std::vector<ThreadInfo> threads_;
    std::vector<uint32_t> by_lane_;
    std::map<uint64_t, uint32_t> newest_;  // the newest thread with each tid
};

}  // namespace memtrace::analyzer
