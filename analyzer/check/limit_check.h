// SPDX-License-Identifier: Apache-2.0
//
// Limits that a recording must keep, held against it and against a baseline: what was measured,
// what would be allowed, and which call sites are to blame, with what they had before.
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
    std::optional<Band> before;     // nothing: there is no baseline, or it does not list the site,
    std::optional<uint64_t> below;  // because it is new or had less than this
};

struct LimitResult {
    Limit limit;
    uint64_t measured = 0;  // of call sites: by the one with most
    uint64_t allowed = 0;
    bool passed = true;
    std::optional<Band> before;  // of the space, if there is a baseline
    std::vector<Blame> blamed;   // the worst first
    size_t blamed_more = 0;      // that are not in the list
};

// What `check` found, for all its outputs.
struct CheckResult {
    std::vector<LimitResult> limits;
    std::vector<std::string> obstacles;  // sentences: why nothing can pass. Exit code 3
    std::vector<SuppressionUse> suppressions;
    Measurements measured;
    std::string baseline;              // path; empty: none
    std::vector<std::string> remarks;  // sentences that change nothing
};

bool has_passed(const CheckResult& result);

// The limits that hold where there is a baseline and nothing else is said: peak and leaked bytes of
// each space, and what a new call site may leak; bytes held when the work ended where they are
// others than those that are leaked.
std::vector<Limit> default_limits(const Measurements& measured, const Baseline& baseline);

// What the baseline is too old for, in sentences: it is not compared.
std::vector<std::string> not_compared(const Measurements& measured, const Baseline& baseline);

// `stronger` and those of `weaker` that are about something else; none that are switched off.
std::vector<Limit> merge_limits(std::vector<Limit> stronger, const std::vector<Limit>& weaker);

// A space without events measures zero. `baseline` may be null. Throws Error where a limit cannot
// be compared with what the baseline has.
std::vector<LimitResult> check_limits(const Measurements& measured, const Baseline* baseline,
                                      const std::vector<Limit>& limits);

// Why a recording says nothing about whether all is well: it is incomplete, or has less in it than
// the baseline.
std::vector<std::string> find_obstacles(const Recording& recording, const Measurements& measured,
                                        const Baseline* baseline);

// The floors of a baseline that these limits can be held against.
Figures floors_for(const std::vector<Limit>& limits);

}  // namespace memtrace::analyzer
