// SPDX-License-Identifier: Apache-2.0
//
// The ranges that a program marked, one by one, from the list of its marks. (phase_list.h has those
// of one name together, with their figures.) The list does not say which thread a mark is of, so an
// end belongs to the last begin of its name, and one without a name to the last begin of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

struct MarkRange {
    std::string_view name;  // in the model
    uint64_t begin_ns = 0;
    std::optional<uint64_t> end_ns;  // nothing: it was not ended
    size_t depth = 0;                // how many others were open when it began
};

struct MarkRanges {
    std::vector<MarkRange> ranges;  // in the order of their begins
    // Ranges whose end is not in the list, which does not have all marks: nobody knows whether
    // they ended. They are not among the ranges.
    size_t without_end = 0;
};

MarkRanges ranges_of_marks(const Model& model);

// Returns at most `most` of the ranges, the longest and, of equal ones, the outermost first. What
// is around a range is longer, so it stays, too. The order is still that of their begins.
// `end_ns`: of the recording, until which open ranges last.
std::vector<MarkRange> longest_ranges(std::vector<MarkRange> ranges, size_t most, uint64_t end_ns);

}  // namespace memtrace::analyzer
