// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/resident_ranges.h"

#include <algorithm>
#include <utility>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

ResidentRanges::ResidentRanges(std::vector<AddressRange> ranges) : ranges_(std::move(ranges)) {
    uint64_t sum = 0;
    for (const AddressRange& range : ranges_) {
        before_.push_back(sum);
        sum += range.end - range.begin;
    }
}

uint64_t ResidentRanges::whole_pages_in(uint64_t begin, uint64_t end) const {
    const uint64_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
    return bytes_in(first, end / page_bytes * page_bytes);
}

// Returns the number of ranges that begin at the address or before it.
size_t ResidentRanges::begun_before(uint64_t address) const {
    const auto is_it = [&](size_t count) {
        return (count == 0 || ranges_[count - 1].begin <= address) &&
               (count == ranges_.size() || ranges_[count].begin > address);
    };
    if (is_it(last_)) return last_;
    if (last_ < ranges_.size() && is_it(last_ + 1)) return ++last_;
    const auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), address,
        [](uint64_t value, const AddressRange& range) { return value < range.begin; });
    last_ = static_cast<size_t>(after - ranges_.begin());
    return last_;
}

uint64_t ResidentRanges::bytes_below(uint64_t address) const {
    const size_t count = begun_before(address);
    if (count == 0) return 0;
    const AddressRange& range = ranges_[count - 1];
    return before_[count - 1] + std::min(address, range.end) - range.begin;
}

}  // namespace memtrace::analyzer
