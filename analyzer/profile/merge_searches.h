// SPDX-License-Identifier: Apache-2.0
//
// The searches for lost blocks of several processes as one. Of each process the last search that
// was done counts, as in its own reports. The result is that sum and, if a process was not
// searched, a search that says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

class SearchSums {
public:
    // `processes`: number of processes in the part.
    void add(const Recording& part, uint64_t processes);
    std::vector<LostSearchInfo> finish() const;

private:
    void add(const LostSearchInfo& search);

    std::optional<LostSearchInfo> sum_;
    uint64_t searched_ = 0;  // processes
    uint64_t others_ = 0;    // the same
};

}  // namespace memtrace::analyzer
