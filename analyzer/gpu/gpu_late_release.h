// SPDX-License-Identifier: Apache-2.0
//
// A release may be recorded long after its call began (GpuRelease::lead). Meanwhile another thread
// may have received the same address or handle, and that acquisition is read first:
//
//   thread 1     free(a) ├──────────────────────────┤ recorded; its lead reaches back to the begin
//   thread 2                 a = alloc() ┤ recorded
//
// So an acquisition of a live address ends the old block and waits for the release that explains
// it, a release that began earlier. If no such release follows, the acquisition contradicts the
// earlier records.
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

    // Returns true if a release of [begin, end) that began at `began` explains a waiting
    // acquisition, and removes that acquisition.
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

    // Calls each(address, time, lane) for the acquisitions that are still waiting.
    template <class Each>
    void for_each(Each&& each) const {
        for (const auto& [address, waiting] : waiting_) each(address, waiting.time, waiting.lane);
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.waiting_); }

private:
    struct Waiting {
        uint64_t time;
        uint32_t lane;
    };
    std::multimap<uint64_t, Waiting> waiting_;  // by address
};

// Returns the time at which the call of a release, or of another record with a lead, began.
template <class Record>
uint64_t begin_of(const Record& record) {
    return record.time - (record.lead < record.time ? record.lead : record.time);
}

}  // namespace memtrace::analyzer
