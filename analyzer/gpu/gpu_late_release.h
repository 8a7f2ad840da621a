// SPDX-License-Identifier: Apache-2.0
//
// A release may be written long after its call began (GpuRelease::lead). Meanwhile another thread
// may have been given the same address, or handle, and that is read first:
//
//   thread 1     free(a) ├──────────────────────────┤ written; its lead reaches back to the begin
//   thread 2                 a = alloc() ┤ written
//
// So an acquisition of something alive ends what was there, and waits for the release that explains
// it: one that began before. If none comes, the acquisition contradicts what was recorded.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace memtrace::analyzer {

class GpuLateRelease {
public:
    void wait(uint64_t address, uint64_t time, uint32_t lane) {
        waiting_.insert({address, {time, lane}});
    }

    // Whether a release of [begin, end) that began then explains one that waits; it waits no more.
    bool settle(uint64_t begin, uint64_t end, uint64_t began) {
        bool any = false;
        for (auto at = waiting_.lower_bound(begin); at != waiting_.end() && at->first < end;) {
            const bool explains = began <= at->second.time;
            at = explains ? waiting_.erase(at) : std::next(at);
            any |= explains;
            if (explains && end - begin == 1) break;  // One release explains one acquisition.
        }
        return any;
    }

    // Calls each(address, time, lane) for those that still wait.
    template <class Each>
    void for_each(Each&& each) const {
        for (const auto& [address, waiting] : waiting_) each(address, waiting.time, waiting.lane);
    }

private:
    struct Waiting {
        uint64_t time;
        uint32_t lane;
    };
    std::multimap<uint64_t, Waiting> waiting_;  // by address
};

// When a release began, or whatever else has a lead.
template <class Record>
uint64_t begin_of(const Record& record) {
    return record.time - (record.lead < record.time ? record.lead : record.time);
}

}  // namespace memtrace::analyzer
