// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of recordings made by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/diff/diff.h"
#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::analyzer {

inline DiffSide side_of(const Story& story) { return make_diff_side(story.recording, "/src"); }

inline Diff diff_of(const Story& before, const Story& after) {
    return compare(side_of(before), side_of(after));
}

// "f a.py:10 | f a.py:12 +200": the lines of the first space before and after, and the change of
// the peak.
inline std::vector<std::string> lines_of(const Diff& diff) {
    std::vector<std::string> texts;
    const auto text = [](const DiffSide& side, const DiffLine* line) -> std::string {
        if (line == nullptr) return "-";
        if (line->row.frame == no_frame) return line->row.name;
        const Frame& frame = side.names.frames[line->row.frame];
        return frame.function + " " + frame.file + ":" + std::to_string(frame.line);
    };
    for (const DiffedLine& line : diff.spaces.at(0).lines) {
        const auto change =
            static_cast<int64_t>(line.figures.after.peak_bytes - line.figures.before.peak_bytes);
        texts.push_back(text(diff.before, line.before) + " | " + text(diff.after, line.after) +
                        " " + (change > 0 ? "+" : "") + std::to_string(change));
    }
    return texts;
}

// True if lines and call sites of every space add up to its totals, on both sides.
inline bool adds_up(const Diff& diff) {
    for (const DiffedSpace& space : diff.spaces) {
        DiffPair lines, sites;
        for (const DiffedLine& line : space.lines) {
            add(lines.before, line.figures.before);
            add(lines.after, line.figures.after);
        }
        for (const DiffedSite& site : space.sites) {
            add(sites.before, site.figures.before);
            add(sites.after, site.figures.after);
        }
        if (!(lines == space.totals) || !(sites == space.totals)) return false;
    }
    return true;
}

}  // namespace memtrace::analyzer
