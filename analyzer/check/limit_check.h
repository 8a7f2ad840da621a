// SPDX-License-Identifier: Apache-2.0
//
// Compares a recording with its limits and with a baseline. The result contains what was measured,
// what is allowed, and which call sites are to blame, with their earlier figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/check/baseline.h"
#include "analyzer/check/limit.h"
#include "analyzer/check/measurements.h"

namespace memtrace::analyzer {

// A call site of a broken limit.
struct Blame {
    std::string site;  // its key
    SourceLocation place;
    uint64_t now = 0;
    uint64_t blocks = 0;            // of `now`, if it is a number of bytes; else 0
    std::optional<Band> before;     // empty if no baseline lists the site
    std::optional<uint64_t> below;  // if the baseline does not list it: it is new or had less
};

struct LimitResult {
    Limit limit;
    uint64_t measured = 0;  // for a limit on call sites, the highest value of a site
    uint64_t allowed = 0;
    uint64_t blocks = 0;  // of `measured`, if it is leaked or held bytes of a space; else 0
    uint64_t error = 0;   // of `measured`, if a sample estimates it: three standard deviations
    bool is_estimate = false;
    bool passed = true;
    bool is_open = false;        // passed in what was recorded, and the recording is incomplete
    std::optional<Band> before;  // of the space, if there is a baseline
    std::vector<Blame> blamed;   // worst first
    size_t blamed_more = 0;      // number of further sites, not in the list
};

// Returns three standard deviations of a figure that a sample estimates; 0: the figure is exact.
// The sample has one block for each `interval` bytes on average, so B bytes are off by
// sqrt(B * interval). A number of blocks is off most where they are smallest.
uint64_t estimate_error(Metric metric, uint64_t figure, uint64_t interval);

// What `check` found, for all its outputs.
struct CheckResult {
    std::vector<LimitResult> limits;
    std::vector<std::string> obstacles;  // sentences: why nothing can pass (exit code 3)
    std::vector<SuppressionUse> suppressions;
    Measurements measured;
    std::string baseline;              // path; empty: none
    std::vector<std::string> remarks;  // sentences that do not affect the exit code
};

bool has_passed(const CheckResult& result);

// Returns the limits that apply by default if there is a baseline: on the peak and the leaked bytes
// of each space, and on the leaked bytes of each new call site. A space also gets a limit on the
// bytes held when the work ended, if they differ from the leaked bytes. A space that the baseline
// does not have was empty before, except the objects of Python, which not every recording has.
std::vector<Limit> default_limits(const Measurements& measured, const Baseline& baseline);

// Returns sentences about figures that are not compared because the baseline does not have them.
std::vector<std::string> not_compared(const Measurements& measured, const Baseline& baseline);

// Returns `stronger` and those of `weaker` that no limit of `stronger` replaces. Limits that are
// off are kept, because they replace others; check_limits() skips them.
std::vector<Limit> merge_limits(std::vector<Limit> stronger, const std::vector<Limit>& weaker);

// Checks all limits. A limit that allows no leaked or held bytes allows no block either, not even
// one of 0 bytes (malloc(0)), except as many as the baseline has. A space without events measures
// zero. A figure that a sample estimates breaks a limit only if it exceeds it by more than its
// error (estimate_error()). `baseline` may be null. Throws Error if a limit cannot be compared with
// the baseline.
std::vector<LimitResult> check_limits(const Measurements& measured, const Baseline* baseline,
                                      const std::vector<Limit>& limits);

// Returns the reasons why a recording cannot be judged. It is incomplete, or it is of another
// program than the baseline, or it lacks Python functions or GPU memory that the baseline has.
std::vector<std::string> find_obstacles(const Recording& recording, const Measurements& measured,
                                        const Baseline* baseline);

// Returns the reasons why broken limits are perhaps not broken: the recording was off for a while,
// and what was released then counts as held.
std::vector<std::string> find_doubts(const Measurements& measured,
                                     const std::vector<LimitResult>& results);

// Returns the floors that a baseline needs, so that these limits can be compared with it.
Figures floors_for(const std::vector<Limit>& limits);

}  // namespace memtrace::analyzer
