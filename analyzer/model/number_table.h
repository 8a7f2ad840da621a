// SPDX-License-Identifier: Apache-2.0
//
// A hash table that has only the numbers of things. What they are is looked up elsewhere, by
// number, and mostly need not be: the table keeps half of each hash, so it says by itself that a
// thing is another one.
//
//   table    –   (7, 0x2f…)   –   (3, 0x91…)   (12, 0x90…)   –        by hash, open addressing
//
// A search can be announced: soon() fetches the place where it will begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

class NumberTable {
public:
    static constexpr uint32_t none = 0xffffffff;

    // Returns the number with this hash for which is_it(number) is true. If there is none, adds and
    // returns `number`.
    template <class IsIt>
    uint32_t find_or_add(uint32_t hash, uint32_t number, IsIt&& is_it) {
        if ((used_ + 1) * 3 > entries_.size() * 2) grow();
        for (size_t at = hash;; ++at) {
            Entry& entry = entries_[at & (entries_.size() - 1)];
            if (entry.number == none) {
                entry = {number, hash};
                used_ += 1;
                return number;
            }
            if (entry.hash == hash && is_it(entry.number)) return entry.number;
        }
    }

    // This function and its callers must be inlined (large_table.h).
    [[gnu::always_inline]] void soon(uint32_t hash) const {
        if (!entries_.empty()) __builtin_prefetch(&entries_[hash & (entries_.size() - 1)], 1);
    }

private:
    struct Entry {
        uint32_t number = none;
        uint32_t hash = 0;
    };

    void grow() {
        constexpr size_t first_size = 64;
        std::vector<Entry> old(std::max(first_size, 2 * entries_.size()));
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.number == none) continue;
            size_t at = entry.hash;
            while (entries_[at & (entries_.size() - 1)].number != none) ++at;
            entries_[at & (entries_.size() - 1)] = entry;
        }
    }

    std::vector<Entry> entries_;  // their count is a power of two, or 0
    size_t used_ = 0;
};

}  // namespace memtrace::analyzer
