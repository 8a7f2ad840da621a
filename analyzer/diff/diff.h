// SPDX-License-Identifier: Apache-2.0
//
// Two recordings compared: what grew, shrank, is new and is gone. In each space the lines, and the
// call sites, add up to the totals of both recordings, so their differences add up to the
// difference of the totals.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diff/diff_side.h"
#include "analyzer/diff/line_match.h"

namespace memtrace::analyzer {

// The figures of one thing before and after.
struct DiffPair {
    DiffFigures before;
    DiffFigures after;

    bool operator==(const DiffPair&) const = default;
    bool differs() const { return !(before == after); }
};

struct DiffedLine : MatchedLine {
    DiffPair figures;  // of the space
};

struct DiffedSite {
    const DiffSite* before = nullptr;  // nullptr: new
    const DiffSite* after = nullptr;   // nullptr: gone
    DiffPair figures;
};

struct DiffedSpace {
    std::string name;
    bool is_estimate = false;  // in one of the recordings at least
    uint64_t interval = 0;     // the longer one; see DiffSpace
    DiffPair totals;
    std::vector<DiffedLine> lines;  // without lines that have no figures in the space
    std::vector<DiffedSite> sites;
};

struct Diff {
    DiffSide before;
    DiffSide after;
    std::vector<MatchedLine> lines;
    std::vector<DiffedSpace> spaces;  // in the order of `after`, then what only `before` has
    bool has_steps = false;           // Both have steps, of the same loop.
    std::string why_other_steps;      // why not, if both have some; a part of a sentence

    // A sentence without its end, if no call site of either passes the filters; else empty.
    std::string nothing() const;

    // False if every figure of every call site and line is the same.
    bool differs() const;
};

// The result refers to its own sides, and so does its move.
Diff compare(DiffSide before, DiffSide after);

// Returns the values of a measure, before and after. Those of steps are for one step.
struct DiffValue {
    double before = 0;
    double after = 0;
    double before_blocks = 0;
    double after_blocks = 0;

    double change() const { return after - before; }
    double change_of_blocks() const { return after_blocks - before_blocks; }
    bool differs() const { return before != after || before_blocks != after_blocks; }
};
DiffValue value_of(const Diff& diff, const DiffPair& pair, const DiffMeasure& measure);

// Returns how much of a change, in bytes, the samples of an estimate explain: three standard
// deviations. 0 for exact figures.
double chance_of(const Diff& diff, const DiffedSpace& space, const DiffPair& pair,
                 const DiffMeasure& measure);

}  // namespace memtrace::analyzer
