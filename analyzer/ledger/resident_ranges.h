// SPDX-License-Identifier: Apache-2.0
//
// Counts the resident bytes of address ranges. It is quickest if they are asked for in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ledger/host_snapshot.h"

namespace memtrace::analyzer {

class ResidentRanges {
public:
    // `ranges` must be sorted and must not overlap.
    explicit ResidentRanges(std::vector<AddressRange> ranges);

    // Returns the resident bytes of [begin, end).
    uint64_t bytes_in(uint64_t begin, uint64_t end) const {
        return begin < end ? bytes_below(end) - bytes_below(begin) : 0;
    }

    // True if every byte of [begin, end) is resident, and surely so: one of the ranges has them
    // all.
    bool has_all(uint64_t begin, uint64_t end) const {
        const size_t count = begun_before(begin);
        return count != 0 && end <= ranges_[count - 1].end;
    }

    // The same as bytes_in(), of the pages that lie in [begin, end) as a whole.
    uint64_t whole_pages_in(uint64_t begin, uint64_t end) const;

private:
    uint64_t bytes_below(uint64_t address) const;
    size_t begun_before(uint64_t address) const;

    std::vector<AddressRange> ranges_;
    std::vector<uint64_t> before_;  // resident bytes before each range
    mutable size_t last_ = 0;  // number of ranges that begin before the address of the last call
};

}  // namespace memtrace::analyzer
