// SPDX-License-Identifier: Apache-2.0
//
// Tells which mapping owns which pages. Mappings are created whole and removed in pieces: munmap
// may cut a hole, and MAP_FIXED may cover parts of several mappings. A mapping ends with its last
// piece.
//
//   map A [0,8)          AAAAAAAA
//   unmap [2,4)          AA··AAAA
//   map B [3,6)          AA·BBBAA      took [4,6) from A
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace memtrace::analyzer {

class MapRanges {
public:
    struct Piece {
        uint64_t begin;
        uint64_t end;
        uint32_t mapping;
    };

    // Assigns [begin, end) to `mapping`. No mapping may own any part of it, so call take() first.
    void put(uint64_t begin, uint64_t end, uint32_t mapping) {
        if (begin < end) pieces_[begin] = {end, mapping};
    }

    // Takes [begin, end) away from the mappings that own it and appends their pieces to `taken`.
    void take(uint64_t begin, uint64_t end, std::vector<Piece>& taken) {
        if (begin >= end) return;
        auto piece = pieces_.upper_bound(begin);
        if (piece != pieces_.begin()) --piece;
        while (piece != pieces_.end() && piece->first < end) {
            const Piece whole{piece->first, piece->second.end, piece->second.mapping};
            if (whole.end <= begin) {
                ++piece;
                continue;
            }
            piece = pieces_.erase(piece);
            const uint64_t from = whole.begin > begin ? whole.begin : begin;
            const uint64_t to = whole.end < end ? whole.end : end;
            taken.push_back({from, to, whole.mapping});
            if (whole.begin < from) pieces_[whole.begin] = {from, whole.mapping};
            if (to < whole.end) pieces_[to] = {whole.end, whole.mapping};
        }
    }

    size_t piece_count() const { return pieces_.size(); }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [begin, rest] : pieces_) visit(Piece{begin, rest.end, rest.mapping});
    }

    // Visits the pieces of [begin, end).
    template <class Visit>
    void for_each(uint64_t begin, uint64_t end, Visit&& visit) const {
        auto piece = pieces_.upper_bound(begin);
        if (piece != pieces_.begin()) --piece;
        for (; piece != pieces_.end() && piece->first < end; ++piece) {
            const uint64_t from = piece->first > begin ? piece->first : begin;
            const uint64_t to = piece->second.end < end ? piece->second.end : end;
            if (from < to) visit(Piece{from, to, piece->second.mapping});
        }
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.pieces_); }

private:
    struct Rest {
        uint64_t end;
        uint32_t mapping;
    };
    std::map<uint64_t, Rest> pieces_;  // by begin
};

}  // namespace memtrace::analyzer
