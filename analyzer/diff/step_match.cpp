// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/step_match.h"

#include <algorithm>
#include <iterator>

#include "analyzer/frames/stable_name.h"

namespace memtrace::analyzer {

namespace {

constexpr const char* other_loops = "they are of different loops, as far as can be told";

// Returns the number of a line in the function of the loop; 0: it is elsewhere.
uint32_t number_in(const DiffSide& side, const DiffLoop& loop, const DiffLine* line) {
    if (line == nullptr || line->row.frame == no_frame) return 0;
    const Frame& frame = side.names.frames[line->row.frame];
    const bool is_inside =
        stable_function(frame.function) == loop.function && stable_file(frame.file) == loop.file;
    return is_inside ? frame.line : 0;
}

// False if a line comes before one of the loops, and not before the other.
bool are_lines_in_order(const DiffSide& before, const DiffSide& after,
                        const std::vector<MatchedLine>& lines) {
    const DiffLoop& a = *before.steps->loop;
    const DiffLoop& b = *after.steps->loop;
    return std::all_of(lines.begin(), lines.end(), [&](const MatchedLine& line) {
        const uint32_t was = number_in(before, a, line.before);
        const uint32_t is = number_in(after, b, line.after);
        return was == 0 || is == 0 || (was < a.line) == (is < b.line);
    });
}

bool have_the_same_place(const DiffLoop& a, const DiffLoop& b) {
    return a.index == b.index && a.loops_of_function == b.loops_of_function;
}

// True if the steps of the one with fewer call sites have half of them in common.
bool have_sites_in_common(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    std::vector<uint64_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    const size_t fewer = std::min(a.size(), b.size());
    return fewer != 0 && 2 * common.size() >= fewer;
}

void leave_out(DiffFigures& figures) { figures.step_bytes = figures.step_allocations = 0; }

}  // namespace

std::string why_other_steps(const DiffSide& before, const DiffSide& after,
                            const std::vector<MatchedLine>& lines) {
    const DiffSteps& a = *before.steps;
    const DiffSteps& b = *after.steps;
    if (a.loop.has_value() != b.loop.has_value())
        return "only one of them has marks, and the other a loop";
    if (!a.loop) return a.name == b.name ? "" : "they have different marks";
    if (a.loop->function != b.loop->function || a.loop->file != b.loop->file) return other_loops;
    if (!are_lines_in_order(before, after, lines)) return other_loops;
    const bool is_same =
        have_the_same_place(*a.loop, *b.loop) || have_sites_in_common(a.site_keys, b.site_keys);
    return is_same ? "" : other_loops;
}

void leave_out_steps(DiffSide& side) {
    for (DiffLine& line : side.lines) {
        for (DiffFigures& figures : line.figures) leave_out(figures);
    }
    for (DiffSpace& space : side.spaces) {
        leave_out(space.totals);
        for (DiffSite& site : space.sites) leave_out(site.figures);
    }
    if (!side.stacks) return;
    for (std::vector<DiffStackSite>& sites : side.stacks->sites) {
        for (DiffStackSite& site : sites) leave_out(site.figures);
    }
}

}  // namespace memtrace::analyzer
