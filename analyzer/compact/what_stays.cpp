// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/what_stays.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

bool has_slots(const LaneSections& lane, uint64_t from) {
    return lane.ring && lane.ring->head() > std::max(from, lane.ring->begin());
}

void add_lane(const CompactRun& run, const DumpIndex& index, size_t number, bool is_whole,
              WhatStays& stays) {
    const LaneSections& lane = index.lanes[number];
    const auto [time, count] = run.known(number);
    PastLane past{lane.lane, 0, lane.first_slot, lane.first_time, time, count};
    if (lane.lane == lane_none) {
        // What it says of the process is short, and useful without a replay.
        for (const ChunkRef& chunk : lane.chunks) stays.chunks.push_back(chunk.offset);
        stays.lanes.push_back(past);
        return;
    }
    const uint64_t needed = std::min(time, run.needed_since(number));
    bool keeps = false;
    for (const ChunkRef& chunk : lane.chunks) {
        const SectionHeader& header = chunk.header;
        keeps |= !is_whole && std::max(header.last_time, header.first_time) >= needed;
        if (keeps) {
            stays.chunks.push_back(chunk.offset);
            continue;
        }
        stays.gone.push_back(chunk);
        past.first_slot = header.first_slot + header.slot_count;
        past.first_time = header.last_time;
    }
    if (is_whole) {
        past.is_over = 1;
        if (lane.ring) past.first_slot = std::max(past.first_slot, lane.ring->head());
    } else if (lane.ring) {
        stays.rings.push_back(lane.ring->offset());
    } else if (!keeps && !has_slots(lane, past.first_slot)) {
        past.is_over = 1;
    }
    stays.lanes.push_back(past);
}

}  // namespace

WhatStays what_stays(const CompactRun& run, const DumpIndex& index, bool is_whole) {
    WhatStays stays;
    for (size_t lane = 0; lane < index.lanes.size(); ++lane) {
        add_lane(run, index, lane, is_whole, stays);
    }
    return stays;
}

}  // namespace memtrace::analyzer
