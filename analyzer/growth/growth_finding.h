// SPDX-License-Identifier: Apache-2.0
//
// What growth has found at one place: a call site, or several that grow together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/growth/growth_judge.h"
#include "analyzer/growth/growth_reason.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

// One of the places that grow together.
struct GrowthPart {
    uint32_t stack = no_stack;
    double share = 0;  // share of the bytes by which they grow, 0 to 1
};

// A line of the user's own code through which they grow: the innermost own line of a stack
// (user_code.h).
struct GrowthLine {
    FrameId frame = no_frame;
    double share = 0;  // as above
};

struct GrowthFinding {
    std::string space;
    Verdict verdict = Verdict::steady;
    double confidence = 0;
    GrowthRate rate;
    uint64_t held_bytes = 0;  // at the end of the last slice
    uint64_t held_blocks = 0;
    uint64_t grown_bytes = 0;  // part of these: growth since `since_ns`
    uint64_t grown_blocks = 0;
    // Acquisitions while it grew, of which `grown_blocks` stay.
    uint64_t acquired_blocks = 0;
    uint64_t grown_steps = 0;  // steps in that time; 0: the run is not cut by steps
    GrowthReason reason = GrowthReason::unknown;
    uint64_t since_ns = 0;
    uint64_t sites = 0;             // number of call stacks combined in the finding
    std::vector<uint32_t> members;  // these, as indices into Space::sites
    std::vector<FrameId> frames;    // frames common to all of them, innermost first
    std::vector<GrowthPart> parts;  // the largest first
    std::vector<GrowthLine> lines;  // the largest first
    std::string why;
};

}  // namespace memtrace::analyzer
