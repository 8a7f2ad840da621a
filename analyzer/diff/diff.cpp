// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "analyzer/diff/step_match.h"
#include "analyzer/model/estimate.h"

namespace memtrace::analyzer {

namespace {

// Returns the lines of the first key, and removes them from `lines`.
std::span<const DiffLine> take(std::span<const DiffLine>& lines, const std::string& key) {
    size_t count = 0;
    while (count < lines.size() && lines[count].key == key) ++count;
    const auto taken = lines.first(count);
    lines = lines.subspan(count);
    return taken;
}

// A line belongs together in all spaces, so lines are matched once.
std::vector<MatchedLine> matched_lines(const DiffSide& before, const DiffSide& after) {
    std::vector<MatchedLine> matched;
    std::span<const DiffLine> a = before.lines, b = after.lines;
    while (!a.empty() || !b.empty()) {
        const bool is_a = b.empty() || (!a.empty() && a.front().key <= b.front().key);
        const std::string& key = is_a ? a.front().key : b.front().key;
        const auto of_a = take(a, key), of_b = take(b, key);
        for (const auto& [i, j] : match_lines(of_a, of_b)) {
            matched.push_back({i ? &of_a[*i] : nullptr, j ? &of_b[*j] : nullptr});
        }
    }
    return matched;
}

std::optional<size_t> index_of(const DiffSide& side, const std::string& name) {
    for (size_t i = 0; i < side.spaces.size(); ++i) {
        if (side.spaces[i].name == name) return i;
    }
    return std::nullopt;
}

void add_sites(DiffedSpace& space, const DiffSpace* before, const DiffSpace* after) {
    static const std::vector<DiffSite> none;
    const std::vector<DiffSite>& a = before == nullptr ? none : before->sites;
    const std::vector<DiffSite>& b = after == nullptr ? none : after->sites;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool has_a = i < a.size() && (j == b.size() || a[i].key <= b[j].key);
        const bool has_b = j < b.size() && (i == a.size() || b[j].key <= a[i].key);
        DiffedSite& site = space.sites.emplace_back();
        if (has_a) site.before = &a[i++];
        if (has_b) site.after = &b[j++];
        if (has_a) site.figures.before = site.before->figures;
        if (has_b) site.figures.after = site.after->figures;
    }
}

DiffedSpace diffed_space(const Diff& diff, const std::string& name) {
    const std::optional<size_t> a = index_of(diff.before, name), b = index_of(diff.after, name);
    const DiffSpace* const before = a ? &diff.before.spaces[*a] : nullptr;
    const DiffSpace* const after = b ? &diff.after.spaces[*b] : nullptr;
    DiffedSpace space;
    space.name = name;
    space.is_estimate = (a && before->is_estimate) || (b && after->is_estimate);
    space.interval = std::max(a ? before->interval : 0, b ? after->interval : 0);
    if (a) space.totals.before = before->totals;
    if (b) space.totals.after = after->totals;
    for (const MatchedLine& matched : diff.lines) {
        DiffedLine line{matched, {}};
        if (a && line.before != nullptr) line.figures.before = line.before->figures[*a];
        if (b && line.after != nullptr) line.figures.after = line.after->figures[*b];
        if (!(line.figures == DiffPair{})) space.lines.push_back(line);
    }
    add_sites(space, before, after);
    return space;
}

}  // namespace

std::string Diff::nothing() const {
    if (before.nothing.empty() || after.nothing.empty()) return "";
    const bool is_same = before.nothing == after.nothing;
    return is_same ? before.nothing
                   : fmt::format("before: {}; after: {}", before.nothing, after.nothing);
}

bool Diff::differs() const {
    return std::any_of(spaces.begin(), spaces.end(), [](const DiffedSpace& space) {
        const auto is_different = [](const auto& part) { return part.figures.differs(); };
        return space.totals.differs() ||
               std::any_of(space.lines.begin(), space.lines.end(), is_different) ||
               std::any_of(space.sites.begin(), space.sites.end(), is_different);
    });
}

Diff compare(DiffSide before, DiffSide after) {
    Diff diff{std::move(before), std::move(after), {}, {}, false, ""};
    diff.lines = matched_lines(diff.before, diff.after);
    diff.has_steps = diff.before.steps && diff.after.steps;
    if (diff.has_steps) diff.why_other_steps = why_other_steps(diff.before, diff.after, diff.lines);
    if (!diff.why_other_steps.empty()) diff.has_steps = false;
    if (!diff.has_steps) {
        leave_out_steps(diff.before);
        leave_out_steps(diff.after);
    }
    for (const DiffSpace& space : diff.after.spaces) {
        diff.spaces.push_back(diffed_space(diff, space.name));
    }
    for (const DiffSpace& space : diff.before.spaces) {
        if (find_space(diff.after, space.name) != nullptr) continue;
        diff.spaces.push_back(diffed_space(diff, space.name));
    }
    return diff;
}

namespace {

// Returns the number of parts of which a measure shows one.
double parts_of(const DiffSide& side, const DiffMeasure& measure) {
    const bool is_step = measure.bytes == &DiffFigures::step_bytes;
    return is_step && side.steps ? static_cast<double>(side.steps->count) : 1.0;
}

}  // namespace

DiffValue value_of(const Diff& diff, const DiffPair& pair, const DiffMeasure& measure) {
    const auto value = [](uint64_t figure, double parts) {
        return static_cast<double>(figure) / parts;
    };
    const double a = parts_of(diff.before, measure), b = parts_of(diff.after, measure);
    return {value(pair.before.*measure.bytes, a), value(pair.after.*measure.bytes, b),
            value(pair.before.*measure.blocks, a), value(pair.after.*measure.blocks, b)};
}

double chance_of(const Diff& diff, const DiffedSpace& space, const DiffPair& pair,
                 const DiffMeasure& measure) {
    constexpr double deviations = 3;
    const DiffValue value = value_of(diff, pair, measure);
    const double bytes =
        value.before / parts_of(diff.before, measure) + value.after / parts_of(diff.after, measure);
    return deviations * estimate_deviation(bytes, space.interval);
}

}  // namespace memtrace::analyzer
