// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/host_snapshot.h"

#include <algorithm>
#include <utility>

#include "memtrace/dump/format.h"
#include "memtrace/dump/varint.h"

namespace memtrace::analyzer {
namespace {

bool begins_before(const AddressRange& a, const AddressRange& b) { return a.begin < b.begin; }

// Sorts ranges and joins those that overlap or touch.
void join(std::vector<AddressRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(), begins_before);
    size_t kept = 0;
    for (const AddressRange& range : ranges) {
        if (kept > 0 && range.begin <= ranges[kept - 1].end) {
            ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
        } else {
            ranges[kept++] = range;
        }
    }
    ranges.resize(kept);
}

}  // namespace

void SnapshotCollector::begin(const HostMoment& record, uint32_t lane) {
    snapshot_ = {};
    snapshot_.moment = record;
    lane_ = lane;
    is_open_ = true;
}

void SnapshotCollector::add(const HostRegion& record, uint32_t lane) {
    if (!is_open(lane) || record.begin >= record.end) return;
    snapshot_.regions.push_back({record.begin,
                                 record.end,
                                 record.access,
                                 record.rss,
                                 record.anonymous,
                                 record.shared,
                                 record.swap,
                                 std::string(record.path),
                                 {}});
}

void SnapshotCollector::add(const HostPages& record, uint32_t lane) {
    if (!is_open(lane) || snapshot_.regions.empty()) return;
    SnapshotRegion& region = snapshot_.regions.back();
    uint64_t at = record.begin;
    const auto* in = reinterpret_cast<const uint8_t*>(record.runs.data());
    const uint8_t* const end = in + record.runs.size();
    for (bool is_resident = true; in != end; is_resident = !is_resident) {
        uint64_t pages = 0;
        in = read_varint(in, end, pages);
        // A damaged record must not reach beyond its region.
        if (in == nullptr || at < region.begin || pages > (region.end - at) / page_bytes) return;
        if (is_resident && pages > 0) region.resident.push_back({at, at + pages * page_bytes});
        at += pages * page_bytes;
    }
}

void SnapshotCollector::add(const HostRange& record, uint32_t lane) {
    if (!is_open(lane) || record.begin >= record.end) return;
    if (record.use == HostUse::memtrace) snapshot_.own.push_back({record.begin, record.end});
    if (record.use == HostUse::thread_stack) snapshot_.stacks.push_back(record.begin);
}

std::optional<HostSnapshot> SnapshotCollector::end(const HostMomentEnd& record, uint32_t lane) {
    if (!is_open(lane) || record.regions != snapshot_.regions.size()) return {};
    is_open_ = false;
    snapshot_.end = record;
    std::sort(snapshot_.regions.begin(), snapshot_.regions.end(),
              [](const SnapshotRegion& a, const SnapshotRegion& b) { return a.begin < b.begin; });
    for (SnapshotRegion& region : snapshot_.regions) join(region.resident);
    join(snapshot_.own);
    std::sort(snapshot_.stacks.begin(), snapshot_.stacks.end());
    return std::move(snapshot_);
}

}  // namespace memtrace::analyzer
