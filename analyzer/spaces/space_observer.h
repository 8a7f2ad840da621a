// SPDX-License-Identifier: Apache-2.0
//
// Receives every change of one space during the replay. Phases use it, because they have figures
// of their own. A SpaceCounter without an observer only tests a pointer for each event.
//
// The acquisitions of a space are numbered from 1 on, and a block keeps its number as long as it
// lives. So "acquired since that moment" is a comparison, and nothing else must be remembered per
// block. A group's block (gpu_space.h) grows at many moments, and each growth has a number of its
// own. Bytes that blocks took over from it come back with the number that they had.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

struct ObservedChange {
    uint32_t site = 0;
    uint32_t label = 0;  // SpaceCounter::no_label: none
    uint64_t bytes = 0;
    uint64_t blocks = 0;    // 0: a block became larger or smaller
    uint64_t number = 0;    // number of the acquisition that the bytes belong to
    bool is_group = false;  // A group's block or a part of it: no call acquired it.
    bool is_moved = false;  // of a group: blocks took these bytes over, or give them back
};

class SpaceObserver {
public:
    virtual ~SpaceObserver() = default;

    // Cold, so that they do not slow down spaces without an observer.
    [[gnu::cold]] void add(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) {
        acquired(change, allocated_bytes, time);
    }
    [[gnu::cold]] void take(const ObservedChange& change, bool is_temporary) {
        released(change, is_temporary);
    }

    // Receives the space as its counter has it, and the time of its peak in ticks. Replaces them
    // by what the reports should show.
    virtual void finish(Space&, const std::vector<std::string>& /*labels*/,
                        uint64_t& /*peak_time*/) {}

protected:
    // `allocated_bytes`: the part of the bytes that counts as allocated.
    virtual void acquired(const ObservedChange& change, uint64_t allocated_bytes,
                          uint64_t time) = 0;
    virtual void released(const ObservedChange& change, bool is_temporary) = 0;
};

}  // namespace memtrace::analyzer
