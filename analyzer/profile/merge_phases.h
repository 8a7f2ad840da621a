// SPDX-License-Identifier: Apache-2.0
//
// Merges the phases of processes by name. Counts, bytes and durations are sums. A peak is the sum
// of the processes' peaks, an upper bound.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class PhaseSums {
public:
    void add(const PhaseList& part);

    // Returns the phases with figures for each of the spaces, or nothing if no part had phases.
    std::optional<PhaseList> finish(const std::vector<Space>& spaces);

private:
    struct Phase {
        PhaseInfo info;
        std::map<std::string, PhaseFigures> spaces;
    };

    bool has_phases_ = false;
    uint64_t unpaired_ends_ = 0;
    std::map<std::pair<std::string, bool>, Phase> phases_;  // by name and is_mark
};

}  // namespace memtrace::analyzer
