// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_quiet.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/sites/site_columns.h"

namespace memtrace::analyzer {
namespace {

struct Quiet {
    const GrowthFinding& first;
    std::string line;  // as own_row_text(); empty: no line of the user's own
    uint64_t held_bytes;

    bool is_of(const GrowthFinding& finding, const std::string& its_line) const {
        return !line.empty() && line == its_line && first.space == finding.space &&
               first.why == finding.why;
    }
};

std::string own_line_of(const Recording& recording, const OwnLines& lines,
                        const GrowthFinding& finding, size_t room) {
    const OwnRow* const row = row_of_all(recording.model, lines, finding.space, finding.members);
    if (row == nullptr || row->kind == OwnRow::Kind::library) return "";
    return own_row_text(recording.symbols, *row, room);
}

std::vector<Quiet> quiet_of(const Recording& recording, const Growth& growth,
                            const TextOptions& options) {
    const OwnLines lines = find_own_lines(recording, true);
    std::vector<Quiet> all;
    for (const GrowthFinding& finding : growth.findings) {
        const bool is_shown = options.space.empty() || options.space == finding.space;
        if (is_growth(finding.verdict) || !is_shown) continue;
        const std::string line = own_line_of(recording, lines, finding, options.width / 2);
        const auto same = std::ranges::find_if(
            all, [&](const Quiet& quiet) { return quiet.is_of(finding, line); });
        if (same != all.end()) same->held_bytes += finding.held_bytes;
        else if (is_enough(recording, finding, options))
            all.push_back({finding, line, finding.held_bytes});
    }
    return all;
}

}  // namespace

bool is_enough(const Recording& recording, const GrowthFinding& finding,
               const TextOptions& options) {
    const Space* const space = find_space(recording.model, finding.space);
    const uint64_t whole = space == nullptr ? 0 : space->totals.own_peak_bytes;
    return finding.held_bytes >= options.least(whole);
}

void write_quiet(std::string& out, const Recording& recording, const Growth& growth,
                 const TextOptions& options) {
    const Style style(options.colour);
    size_t shown = 0;
    for (const Quiet& quiet : quiet_of(recording, growth, options)) {
        if (shown == options.top) break;
        if (shown++ == 0) write_title(out, options, "Large, and no leak", "");
        const std::string numbers = fmt::format("  {:<9}{:>11}  ", word_of(quiet.first.verdict),
                                                human_bytes(quiet.held_bytes));
        const size_t column = display_width(numbers);
        const std::vector<FrameId>& frames = quiet.first.frames;
        out += numbers;
        if (!quiet.line.empty()) out += quiet.line;
        else if (frames.empty()) out += no_stack_text;
        else
            out += place_text(recording.symbols.frames[frames[0]], options.width - column, "",
                              style, false);
        out += "\n";
        std::string why;
        write_wrapped(why, std::string(column, ' ') + quiet.first.why, column, options.width);
        out += style.faint(why);
    }
}

}  // namespace memtrace::analyzer
