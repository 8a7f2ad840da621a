// SPDX-License-Identifier: Apache-2.0
//
// Somebody who is told of everything that happens in one space, while it happens: phases have
// figures of their own. A SpaceCounter without one pays a look at a pointer for each event.
//
// The acquisitions of a space are numbered from 1 on, and a block keeps its number for as long as
// it lives. So "acquired since that moment" is a comparison, and needs nothing to be remembered
// of each block. A group's block (gpu_space.h) grows at many moments; what it gives back is taken
// to be what came last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

struct ObservedChange {
    uint32_t site = 0;
    uint32_t label = 0;  // SpaceCounter::no_label: none
    uint64_t bytes = 0;
    uint64_t blocks = 0;  // 0: a block became larger or smaller
    uint64_t number = 0;  // of the acquisition that it belongs to
};

class SpaceObserver {
public:
    // The number of what a group's block gives back.
    static constexpr uint64_t of_group = 0;

    virtual ~SpaceObserver() = default;

    // Out of the way of those who are not watched.
    [[gnu::cold]] void add(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time);
    [[gnu::cold]] void take(ObservedChange change, bool is_temporary);

    // The space as its counter has it, and the time of its peak in ticks: what the reports show
    // instead.
    virtual void finish(Space&, const std::vector<std::string>& /*labels*/,
                        uint64_t& /*peak_time*/) {}

protected:
    // `allocated_bytes`: how much of it counts as allocated.
    virtual void acquired(const ObservedChange& change, uint64_t allocated_bytes,
                          uint64_t time) = 0;
    virtual void released(const ObservedChange& change, bool is_temporary) = 0;

private:
    struct Piece {
        uint64_t number;
        uint64_t bytes;
    };
    std::map<uint32_t, std::vector<Piece>> pieces_;  // that a group's block grew by; by site
};

}  // namespace memtrace::analyzer
