// SPDX-License-Identifier: Apache-2.0
//
// What grows in a run, told from what merely fills up: growth_judge.h for each call site and each
// space, and call sites that grow as one, put together (growth_groups.h).
//
// Needs a model with histories: LoadOptions::slices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/growth/growth_judge.h"
#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

struct GrowthRate {
    double bytes_per_step = 0;  // 0 where no steps are marked
    double blocks_per_step = 0;
    double bytes_per_hour = 0;
    double blocks_per_hour = 0;
    double low = 0;   // of bytes, per step if steps are marked, else per hour: with 95 %
    double high = 0;  // confidence the rate lies between these two
};

// One of the places that grow together.
struct GrowthPart {
    uint32_t stack = no_stack;
    double share = 0;  // of the bytes by which they grow, 0 to 1
};

// One's own lines through which they grow: of each stack the innermost (user_code.h).
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
    uint64_t grown_bytes = 0;  // of these, since
    uint64_t grown_blocks = 0;
    uint64_t since_ns = 0;
    uint64_t sites = 0;             // call stacks that it stands for
    std::vector<FrameId> frames;    // that all of them have in common, innermost first
    std::vector<GrowthPart> parts;  // the largest first
    std::vector<GrowthLine> lines;  // likewise
    std::string why;
};

// A space as a whole. It leaks only if something in it does.
struct SpaceGrowth {
    std::string space;
    Verdict verdict = Verdict::steady;
    GrowthRate rate;  // of what leaks in it
    uint64_t held_bytes = 0;
    std::string why;
};

// When memory runs out if it goes on like this.
struct Exhaustion {
    std::string of;  // "host", or the space of a device
    uint64_t capacity = 0;
    uint64_t used = 0;
    double bytes_per_hour = 0;
    double after_ns = 0;  // from the end of the last slice on
};

struct GrowthOptions {
    std::optional<uint64_t> memory;   // of the host; nothing: what the dump says
    bool interpreter_frames = false;  // as in TextOptions
};

struct Growth {
    std::string not_judged;  // why nothing was: too short, no slices; empty: it was
    bool by_steps = false;
    size_t points = 0;                    // slices that were judged
    uint64_t until_ns = 0;                // end of the last one
    std::vector<GrowthFinding> findings;  // leaks first, the largest first
    std::vector<SpaceGrowth> spaces;
    std::vector<Exhaustion> exhaustions;

    bool leaks() const { return !findings.empty() && findings[0].verdict == Verdict::leak; }
};

Growth find_growth(const Recording& recording, const GrowthOptions& options = {});

}  // namespace memtrace::analyzer
