// SPDX-License-Identifier: Apache-2.0
//
// The two ends of a range as they are typed, and as moments of the replay.
//
//   2.5s, 90, 1m30s, 250ms, 1h   a time from the start of the recording (units.h)
//   step 12, step:12             the 12th step, counted from 1: a mark, or an iteration of the loop
//                                that was found (loop_steps.h)
//   anything else                the name of a phase or a mark, as for --phase (phase_names.h)
//
// A time is the first tick at or after it. An event at that tick is inside a range that begins
// there, and outside a range that ends there. So a range from A to B and a range from B to C have
// no event in common and leave none out. The end that a mark or a step makes is a place in the
// order of events, because other events may have the same tick.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "analyzer/phases/phase_names.h"

namespace memtrace::analyzer {

struct RangeAtTime {
    uint64_t time_ns = 0;
};
struct RangeAtStep {
    uint64_t number = 0;
};
struct RangeAtPhase {
    PhasePattern pattern;
};
using RangeText = std::variant<RangeAtTime, RangeAtStep, RangeAtPhase>;

// `option` is the option that the text belongs to. Throws Error for a step without a number.
RangeText parse_range_text(const std::string& option, const std::string& text);

// Returns the two ends that "step 10..20" stands for; nothing if the text is anything else.
std::optional<std::pair<std::string, std::string>> split_steps(const std::string& text);

struct RangeMoment {
    uint64_t time = 0;                  // in ticks
    std::optional<uint64_t> mark = {};  // number of the Mark record, from 0; nothing: a time
    // The moment is before the event of this number, from 0, of those that come at this time or
    // later; nothing: before the first. Only without a mark.
    std::optional<uint64_t> event = {};
    std::string step = {};  // what the program or the loop calls the step that was asked for
};

// An end that is missing is that of the recording.
struct RangeMoments {
    std::optional<RangeMoment> from;
    std::optional<RangeMoment> to;
};

}  // namespace memtrace::analyzer
