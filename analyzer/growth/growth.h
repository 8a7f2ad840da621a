// SPDX-License-Identifier: Apache-2.0
//
// Finds growth in a run and distinguishes it from memory that merely fills up. Each call site and
// each space is judged (growth_judge.h), and call sites that grow together are combined
// (growth_groups.h).
//
// The model must have histories (LoadOptions::slices).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/growth/exhaustion.h"
#include "analyzer/growth/growth_finding.h"
#include "analyzer/growth/growth_judge.h"
#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

struct GrowthOptions {
    std::optional<uint64_t> memory;   // of the host; empty: taken from the dump
    bool interpreter_frames = false;  // as in TextOptions
};

struct Growth {
    // Why growth could not be judged (too short, no slices); empty if it was.
    std::string not_judged;
    bool by_steps = false;
    size_t points = 0;                    // number of judged slices
    uint64_t until_ns = 0;                // end of the last judged slice
    std::vector<GrowthFinding> findings;  // leaks first, the largest first
    std::vector<SpaceGrowth> spaces;
    std::vector<Exhaustion> exhaustions;

    bool leaks() const { return !findings.empty() && findings[0].verdict == Verdict::leak; }
};

Growth find_growth(const Recording& recording, const GrowthOptions& options = {});

}  // namespace memtrace::analyzer
