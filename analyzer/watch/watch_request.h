// SPDX-License-Identifier: Apache-2.0
//
// What of the changes of a run a report wants to know (run_watch.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memtrace::analyzer {

struct WatchRequest {
    bool curves = false;
    bool lives = false;    // RunWatch: lives
    bool bars = false;     // RunWatch: bars
    bool threads = false;  // RunWatch: shares
    bool largest = false;  // RunWatch: largest; of a whole run, not of a range

    // A life is brief if it ended within so many events, or so many nanoseconds. 0: not requested.
    uint64_t events_max = 0;
    uint64_t time_max_ns = 0;

    // Only memory of these sites counts, by space and number of the site in the replay; empty: all
    // memory. A space that is not in it has no such site.
    std::map<std::string, std::vector<bool>> sites;

    bool is_empty() const { return !curves && !lives && !bars && !threads && !largest; }
    // Times of lives are needed while the replay goes on.
    bool needs_clock() const { return bars || time_max_ns != 0; }
};

}  // namespace memtrace::analyzer
