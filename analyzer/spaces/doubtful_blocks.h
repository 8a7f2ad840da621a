// SPDX-License-Identifier: Apache-2.0
//
// The places of the blocks that were alive when the recording was switched off or on. Some of them
// went without a record, and then other blocks have their places. The list only says where to look:
// a block on it may have been released since.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

class DoubtfulBlocks {
public:
    bool empty() const { return places_.empty(); }
    void clear() { places_ = {}; }

    // Call sort() after the last one. Blocks do not overlap.
    void add(uint64_t begin, uint64_t size) { places_.push_back({begin, end_of(begin, size)}); }
    void sort() {
        std::sort(places_.begin(), places_.end(),
                  [](const Place& a, const Place& b) { return a.begin < b.begin; });
    }

    // Calls each(begin) for every block on the list that has a byte of [begin, begin + size).
    template <class Each>
    void for_each(uint64_t begin, uint64_t size, Each&& each) const {
        const uint64_t end = end_of(begin, size);
        auto place = std::upper_bound(places_.begin(), places_.end(), begin,
                                      [](uint64_t at, const Place& one) { return at < one.begin; });
        if (place != places_.begin() && std::prev(place)->end > begin)
            each(std::prev(place)->begin);
        for (; place != places_.end() && place->begin < end; ++place) each(place->begin);
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.places_); }

private:
    struct Place {
        uint64_t begin, end;
    };
    // An empty block has a place of its own, too.
    static uint64_t end_of(uint64_t begin, uint64_t size) {
        const uint64_t end = begin + std::max<uint64_t>(size, 1);
        return end > begin ? end : ~uint64_t{0};
    }

    std::vector<Place> places_;
};

}  // namespace memtrace::analyzer
