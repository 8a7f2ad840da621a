// SPDX-License-Identifier: Apache-2.0
//
// Tells which thread the events of a lane belong to, and counts the allocations of each thread.
//
// A lane is used by one thread after another, and a thread may move to another lane, where it
// writes ThreadStart again. So a ThreadStart with the tid of a thread that has not ended means
// that thread.
//
// A program that starts a thread for each request has millions of them. So only the first that end
// are listed one by one. Of a later one the figures are added to those of its name, in which digits
// do not count, and its number is given to the next thread:
//
//   number      0       1..10,000                        10,001
//   thread      main    worker-1 ... worker-10000        worker-10001 ends; worker-10002 comes
//   by name                                              "worker-#": 1 thread
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/tick_clock.h"
#include "analyzer/base/units.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "analyzer/phases/phase_names.h"

namespace memtrace::analyzer {

class Threads {
public:
    static constexpr size_t ended_max = 10'000;  // that are listed one by one
    static constexpr size_t names_max = 1'000;   // of the others; further ones share one
    static constexpr const char* further_names = "(further names)";

    // Lists all threads one by one, so their numbers are those of the result. Call it first.
    void list_all() { lists_all_ = true; }

    // Returns the index of the thread that uses this lane now. Events before the lane's first
    // ThreadStart belong to a thread without a number.
    uint32_t of_lane(uint32_t lane) {
        if (lane >= by_lane_.size()) [[unlikely]]
            by_lane_.resize(lane + 1, nobody);
        if (by_lane_[lane] == nobody) [[unlikely]]
            take(lane, add(0, 0));
        return by_lane_[lane];
    }

    // True if the lane has or had a thread.
    bool knows(uint32_t lane) const { return lane < by_lane_.size() && by_lane_[lane] != nobody; }
    size_t lanes() const { return by_lane_.size(); }

    // Returns true if the lane's thread has the number of one that ended before it.
    bool start(uint32_t lane, uint64_t tid, uint64_t time) {
        if (lane >= by_lane_.size()) by_lane_.resize(lane + 1, nobody);
        leave(lane, time);
        const auto last = newest_.find(tid);
        const bool goes_on = last != newest_.end() && !has_ended(last->second);
        const bool is_second_hand = !goes_on && !free_.empty();
        take(lane, goes_on ? last->second : add(tid, time));
        newest_[tid] = by_lane_[lane];
        return is_second_hand;
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
        const auto is_one = [this](uint32_t thread) { return thread < threads_.size(); };
        return std::all_of(by_lane_.begin(), by_lane_.end(),
                           [&](uint32_t thread) { return thread == nobody || is_one(thread); }) &&
               std::all_of(free_.begin(), free_.end(), is_one) &&
               std::all_of(newest_.begin(), newest_.end(),
                           [&](const auto& entry) { return is_one(entry.second); });
    }
    // Says that some threads are listed by name, if they are.
    void remark(Problems& problems) const {
        uint64_t merged = 0;
        for (const auto& [name, threads] : by_name_) merged += threads.merged;
        if (merged == 0) return;
        problems.remark("threads",
                        fmt::format("{} threads that have ended are listed one by one. The figures "
                                    "of {} that ended later are added up by their names, with # "
                                    "for digits.",
                                    exact_count(ended_max), exact_count(merged)));
    }

    // Returns all threads, with their times in nanoseconds; those by name come last.
    std::vector<ThreadInfo> finish(const TickClock& clock) {
        std::vector<bool> is_free(threads_.size());
        for (const uint32_t thread : free_) is_free[thread] = true;
        std::vector<ThreadInfo> all;
        for (size_t i = 0; i < threads_.size(); ++i) {
            if (!is_free[i]) all.push_back(std::move(threads_[i]));
        }
        for (auto& [name, threads] : by_name_) all.push_back(std::move(threads));
        for (ThreadInfo& thread : all) {
            thread.start_ns = clock.ns(thread.start_ns);
            if (thread.end_ns) thread.end_ns = clock.ns(*thread.end_ns);
        }
        return all;
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.threads_, self.by_lane_, self.newest_, self.free_, self.by_name_, self.listed_);
        if constexpr (!std::remove_reference_t<decltype(each)>::reads) return;
        else self.count_lanes();
    }

private:
    static constexpr uint32_t nobody = 0xffffffff;

    // ---- which lanes a thread has: a small one that it left, and a large one

    void take(uint32_t lane, uint32_t thread) {
        by_lane_[lane] = thread;
        lanes_[thread] += 1;
    }
    // A thread without a lane has ended, also if its end is not in the dump: a thread that goes to
    // a larger lane says so there before another one takes the old one.
    void leave(uint32_t lane, uint64_t time) {
        const uint32_t thread = std::exchange(by_lane_[lane], nobody);
        if (thread == nobody || --lanes_[thread] != 0) return;
        if (lists_all_ || listed_ < ended_max) listed_ += 1;
        else merge(thread, time);
    }
    void count_lanes() {
        lanes_.assign(threads_.size(), 0);
        for (const uint32_t thread : by_lane_) {
            if (thread < lanes_.size()) lanes_[thread] += 1;
        }
    }

    uint32_t add(uint64_t tid, uint64_t time) {
        ThreadInfo thread;
        thread.tid = tid;
        thread.start_ns = time;  // in ticks until finish()
        if (free_.empty()) {
            threads_.push_back(thread);
            lanes_.push_back(0);
            return static_cast<uint32_t>(threads_.size() - 1);
        }
        const uint32_t number = free_.back();
        free_.pop_back();
        threads_[number] = thread;
        return number;
    }

    // `time`: when it had ended at the latest.
    void merge(uint32_t number, uint64_t time) {
        ThreadInfo& thread = threads_[number];
        const auto newest = newest_.find(thread.tid);
        if (newest != newest_.end() && newest->second == number) newest_.erase(newest);
        std::string name = grouped_name(thread.name);
        if (!by_name_.contains(name) && by_name_.size() >= names_max) name = further_names;
        ThreadInfo& sum = by_name_[name];
        if (sum.merged == 0) sum.start_ns = thread.start_ns;
        sum.name = std::move(name);
        sum.merged += 1;
        sum.start_ns = std::min(sum.start_ns, thread.start_ns);
        sum.end_ns = std::max(sum.end_ns.value_or(0), thread.end_ns.value_or(time));
        sum.allocations += thread.allocations;
        sum.allocated_bytes += thread.allocated_bytes;
        thread = {};
        free_.push_back(number);
    }

    bool lists_all_ = false;
    std::vector<ThreadInfo> threads_;
    std::vector<uint32_t> lanes_;  // how many lanes each of them has
    std::vector<uint32_t> by_lane_;
    std::map<uint64_t, uint32_t> newest_;  // the newest thread with each tid
    std::vector<uint32_t> free_;           // numbers that no thread has
    std::map<std::string, ThreadInfo> by_name_;
    uint64_t listed_ = 0;  // that have ended, and have no lane any more
};

}  // namespace memtrace::analyzer
