// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/space_observer.h"

namespace memtrace::analyzer {

void SpaceObserver::add(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) {
    if (change.blocks == 0) pieces_[change.site].push_back({change.number, change.bytes});
    acquired(change, allocated_bytes, time);
}

void SpaceObserver::add_pieces(const SpaceObserver& before, uint32_t site, uint32_t label) {
    const auto found = before.pieces_.find(site);
    if (found == before.pieces_.end()) return;
    for (const Piece& piece : found->second) add({site, label, piece.bytes, 0, piece.number}, 0, 0);
}

void SpaceObserver::take(ObservedChange change, bool is_temporary) {
    if (change.number != of_group) return released(change, is_temporary);
    std::vector<Piece>& pieces = pieces_[change.site];
    for (uint64_t left = change.bytes; left > 0 && !pieces.empty();) {
        Piece& last = pieces.back();
        change.number = last.number;
        change.bytes = left < last.bytes ? left : last.bytes;
        left -= change.bytes;
        last.bytes -= change.bytes;
        if (last.bytes == 0) pieces.pop_back();
        released(change, false);
    }
}

}  // namespace memtrace::analyzer
