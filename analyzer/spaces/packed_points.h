// SPDX-License-Identifier: Apache-2.0
//
// Figures of sites at cuts of the run (history_cuts.h), packed and in the order of sites. There are
// millions of them in a long run of a large program.
//
// New points wait in a list. When the list is long, it is sorted and merged into the packed ones,
// and points of cuts that are given up meanwhile become points of the next cut that is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "analyzer/spaces/history_cuts.h"

namespace memtrace::analyzer {

struct CutPoint {
    uint32_t site = 0;
    uint32_t cut = 0;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    uint64_t allocations = 0;
    uint64_t allocated_bytes = 0;
};

// Points in the order of site and cut, written once and read once. Reading releases the memory.
class PackedStream {
public:
    void write(const CutPoint& point);
    // Returns false at the end.
    bool read(CutPoint& point);
    size_t size() const { return count_; }  // number of points written

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.chunks_, self.written_, self.read_, self.read_at_, self.count_);
        each.check(
            [&] { return self.read_at_ <= (self.chunks_.empty() ? 0 : self.chunks_.front().used); },
            "a history begins behind its end");
        each.check([&] { return self.has_whole_points(); }, "a point of a history is cut short");
    }

private:
    // True if the numbers of what is left to read are whole, six of them for each point.
    bool has_whole_points() const;

    static constexpr size_t chunk_bytes = 1 << 16;

    struct Chunk {
        std::vector<uint8_t> bytes;
        size_t used = 0;

        static void state(auto& self, auto& each) {
            each(self.bytes, self.used);
            each.check([&] { return self.bytes.size() == chunk_bytes && self.used <= chunk_bytes; },
                       "a piece of a history has another length");
        }
    };
    std::deque<Chunk> chunks_;
    CutPoint written_;
    CutPoint read_;
    size_t read_at_ = 0;  // in the first chunk
    size_t count_ = 0;
};

class PackedPoints {
public:
    // How points of the same site and cut become one.
    enum class Merge : uint8_t {
        last,  // The later point replaces the earlier one.
        sum
    };

    explicit PackedPoints(Merge merge) : merge_(merge) {}

    // Of the points to be replaced, a site has at most one for each cut that was ever made.
    void add(const CutPoint& point, const HistoryCuts& cuts) {
        if (waiting_.empty()) waiting_.reserve(waiting_max());
        waiting_.push_back(point);
        if (waiting_.size() >= waiting_max()) [[unlikely]]
            pack(cuts);
    }
    void clear() {
        waiting_ = {};
        packed_ = {};
    }
    // Leaves none in the list that waits.
    void pack(const HistoryCuts& cuts);
    // Returns all points, and leaves this empty.
    PackedStream take(const HistoryCuts& cuts) {
        pack(cuts);
        return std::exchange(packed_, {});
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.packed_, self.waiting_); }

private:
    static constexpr size_t waiting_min = 1 << 14;

    // All packed points are read and written each time, so a longer list is quicker.
    size_t waiting_max() const { return std::max(waiting_min, packed_.size() / 2); }

    Merge merge_;
    PackedStream packed_;
    std::vector<CutPoint> waiting_;
};

}  // namespace memtrace::analyzer
