// SPDX-License-Identifier: Apache-2.0
//
// Puts the records of a moment (host_records.h) together: the mappings of the process and their
// resident pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memtrace/dump/host_records.h"

namespace memtrace::analyzer {

// Addresses [begin, end).
struct AddressRange {
    uint64_t begin = 0;
    uint64_t end = 0;
};

struct SnapshotRegion {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t access = 0;  // sum of HostAccess
    uint64_t rss = 0;
    uint64_t anonymous = 0;
    uint64_t shared = 0;
    uint64_t swap = 0;
    std::string path;
    std::vector<AddressRange> resident;  // sorted; empty: not looked up
};

struct HostSnapshot {
    HostMoment moment;
    HostMomentEnd end;
    std::vector<SnapshotRegion> regions;  // by address
    std::vector<AddressRange> own;        // of the shim, sorted
    std::vector<uint64_t> stacks;         // addresses in stacks of threads, sorted
};

// Collects the records of one moment at a time. Records that belong to no moment have no effect.
class SnapshotCollector {
public:
    void begin(const HostMoment& record, uint32_t lane);
    void add(const HostRegion& record, uint32_t lane);
    void add(const HostPages& record, uint32_t lane);
    void add(const HostRange& record, uint32_t lane);
    // Returns the moment if it is whole.
    std::optional<HostSnapshot> end(const HostMomentEnd& record, uint32_t lane);

    // archive.h
    static void state(auto& self, auto& each) { each(self.snapshot_, self.lane_, self.is_open_); }

private:
    bool is_open(uint32_t lane) const { return is_open_ && lane == lane_; }

    HostSnapshot snapshot_;
    uint32_t lane_ = 0;
    bool is_open_ = false;
};

}  // namespace memtrace::analyzer
