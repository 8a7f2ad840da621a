// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/estimated_spaces.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

constexpr const char* objects_space = "python";

// "since 359 ms host is estimated from a sample, as max_dump asked for"
std::string why_estimated(const MeasuredSpace& space) {
    if (!space.exact_until_ns) return space.name + " is estimated from a sample";
    return fmt::format("since {} {} is estimated from a sample, as max_dump asked for",
                       human_time(*space.exact_until_ns), space.name);
}

std::string how_to_record(const MeasuredSpace& space) {
    if (space.exact_until_ns) return "record with a larger max_dump, or without";
    if (space.name == objects_space) return "record with MEMTRACE_OPTIONS=python_allocs=all";
    return "record without the option sample";
}

std::string not_compared_text(const MeasuredSpace& space, const Baseline* baseline) {
    return fmt::format(
        "The space {} cannot be compared with {}: {}, and a baseline has exact figures; {}, or "
        "limit {} by "
        "sizes (--max-leaked-bytes {}=1M) and turn the limits that compare off.",
        space.name,
        baseline == nullptr ? "a baseline" : "the baseline " + printable(baseline->path),
        why_estimated(space), how_to_record(space), space.name, space.name);
}

std::string not_known_text(const Limit& limit, const MeasuredSpace& space) {
    return fmt::format(
        "The limit on {} cannot be checked: {}, in which temporary allocations are not known; {}, "
        "or leave out this limit.",
        printable(title_of(limit)), why_estimated(space), how_to_record(space));
}

bool compares(const Limit& limit) { return limit.is_relative || limit.scope == Scope::new_site; }

}  // namespace

bool is_always_recorded(const std::string& space) { return space != objects_space; }

std::vector<std::string> leave_out_estimates(const Measurements& measured, const Baseline* baseline,
                                             std::vector<Limit>& limits) {
    std::vector<std::string> found;
    std::erase_if(limits, [&](const Limit& limit) {
        const MeasuredSpace* const space = find_space(measured, limit.space);
        if (limit.is_off || space == nullptr || !space->is_estimate) return false;
        const bool is_percent = row_of(limit.metric).unit == Unit::percent;
        if (!is_percent && !compares(limit)) return false;
        std::string why =
            is_percent ? not_known_text(limit, *space) : not_compared_text(*space, baseline);
        if (std::find(found.begin(), found.end(), why) == found.end())
            found.push_back(std::move(why));
        return true;
    });
    return found;
}

std::vector<std::string> not_for_a_baseline(const Measurements& measured, const Baseline* old) {
    std::vector<std::string> found;
    for (const MeasuredSpace& space : measured.spaces) {
        const bool was_there = old != nullptr && find_space(*old, space.name) != nullptr;
        if (!space.is_estimate || (!was_there && !is_always_recorded(space.name))) continue;
        found.push_back(fmt::format(
            "No baseline can be made of this recording: {} would be missing, because {}; {}.",
            space.name, why_estimated(space), how_to_record(space)));
    }
    return found;
}

}  // namespace memtrace::analyzer
