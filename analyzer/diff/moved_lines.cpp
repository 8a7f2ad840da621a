// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/moved_lines.h"

#include <fmt/format.h>

#include <set>

#include "analyzer/report/report_own_lines.h"

namespace memtrace::analyzer {

namespace {

// Returns 0 if the line has no number.
uint32_t number_of(const DiffSide& side, const DiffLine* line) {
    const bool has_frame = line != nullptr && line->row.frame != no_frame;
    return has_frame ? side.names.frames[line->row.frame].line : 0;
}

}  // namespace

std::vector<std::string> moved_lines(const Diff& diff, const std::string& space, size_t room) {
    std::set<std::string> moved;
    for (const DiffedSpace& of : diff.spaces) {
        if (!space.empty() && space != of.name) continue;
        for (const DiffedLine& line : of.lines) {
            const uint32_t before = number_of(diff.before, line.before);
            const uint32_t after = number_of(diff.after, line.after);
            if (before == 0 || after == 0 || before == after) continue;
            const std::string text = own_row_text(diff.before.names, line.before->row, room);
            moved.insert(fmt::format("{}, now in line {}", text, after));
        }
    }
    return {moved.begin(), moved.end()};
}

}  // namespace memtrace::analyzer
