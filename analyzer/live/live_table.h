// SPDX-License-Identifier: Apache-2.0
//
// What the user's own lines hold now, and how fast that grows: the rows of `memtrace top`. Every
// byte of a space is in exactly one row. Memory of call sites that have no name yet is a row of its
// own.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/live/live_names.h"
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

// Figures of a row in a space.
struct LiveFigures {
    uint32_t row = LiveNames::no_row;  // no_row: call sites without a name yet
    uint64_t bytes = 0;                // held now
    uint64_t blocks = 0;
    uint64_t allocations = 0;             // since the start of the program
    std::optional<double> a_minute = {};  // bytes by which it grows; nothing: not known yet
};

struct LiveSpace {
    std::string name;
    uint64_t bytes = 0;
    uint64_t peak_bytes = 0;
    uint64_t blocks = 0;
    bool is_estimate = false;       // from a sample
    std::vector<LiveFigures> rows;  // those that hold something or grew, in no order
};

class LiveTable {
public:
    // The names of a newer moment than the last ones.
    void set_names(LiveNames names);
    const LiveNames& names() const { return names_; }

    // Counts what the call sites of one space hold at this time, from the start of the recording.
    // Times must not fall.
    void take(uint64_t time_ns, const SpaceCounter& counter, bool is_estimate = false);

    const std::vector<LiveSpace>& spaces() const { return spaces_; }

    // The part of what is held that has no name yet, from 0 to 1.
    double unnamed_share() const;

private:
    struct Point {
        uint64_t time_ns;
        uint64_t bytes;
    };
    using History = std::deque<Point>;

    LiveSpace count(const SpaceCounter& counter) const;
    LiveSpace& space(const std::string& name);
    void add_history(LiveSpace& space, uint64_t time_ns);
    static void shift(History& history, uint64_t by);

    LiveNames names_;
    std::vector<LiveSpace> spaces_;
    std::set<std::string> renamed_;  // spaces whose sites have other rows than in the last take()
    std::map<std::string, std::map<std::string, History>> histories_;  // by space and `where`
};

}  // namespace memtrace::analyzer
