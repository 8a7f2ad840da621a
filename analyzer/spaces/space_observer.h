// SPDX-License-Identifier: Apache-2.0
//
// Receives every change of one space during the replay. Phases use it, because they have figures
// of their own. A SpaceCounter without an observer only tests a pointer for each event.
//
// The acquisitions of a space are numbered from 1 on, and a block keeps its number as long as it
// lives. So "acquired since that moment" is a comparison, and nothing else must be remembered per
// block. A group's block (gpu_space.h) grows at many moments. Bytes that it gives back are assumed
// to be the bytes that it took last.
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
    uint64_t number = 0;  // number of the acquisition that the bytes belong to
};

class SpaceObserver {
public:
    // The number used for bytes that a group's block gives back.
    static constexpr uint64_t of_group = 0;

    virtual ~SpaceObserver() = default;

    // Cold, so that they do not slow down spaces without an observer.
    [[gnu::cold]] void add(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time);
    [[gnu::cold]] void take(ObservedChange change, bool is_temporary);
    // The same as add() for the pieces of a group's block, which `before` has followed until now.
    void add_pieces(const SpaceObserver& before, uint32_t site, uint32_t label);

    // Receives the space as its counter has it, and the time of its peak in ticks. Replaces them
    // by what the reports should show.
    virtual void finish(Space&, const std::vector<std::string>& /*labels*/,
                        uint64_t& /*peak_time*/) {}

protected:
    // `allocated_bytes`: the part of the bytes that counts as allocated.
    virtual void acquired(const ObservedChange& change, uint64_t allocated_bytes,
                          uint64_t time) = 0;
    virtual void released(const ObservedChange& change, bool is_temporary) = 0;

    // Goes on with the groups' blocks where `before` is.
    void take_pieces(const SpaceObserver& before) { pieces_ = before.pieces_; }

    // archive.h
    static void state(auto& self, auto& each) { each(self.pieces_); }

private:
    struct Piece {
        uint64_t number;
        uint64_t bytes;
    };
    // Pieces by which a group's block grew, by site.
    std::map<uint32_t, std::vector<Piece>> pieces_;
};

}  // namespace memtrace::analyzer
