// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/lost_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyzer/base/units.h"
#include "analyzer/report/report_lost.h"

namespace memtrace::analyzer {
namespace {

// Returns a sentence; empty: the search that counts was done.
std::string why_unknown(const Model& model, const LostSearchInfo* search) {
    const std::string why = why_not_searched(model);
    return why.empty() && search == nullptr ? no_search_requested : why;
}

// The program decides when its work has ended; what its exit handlers take does not count. After
// any other search it may have gone on to lose more.
bool may_be_exceeded(const LimitResult& result, const LostSearchInfo& search) {
    if (search.cause == LostCause::work_end) return false;
    const uint64_t later =
        row_of(result.limit.metric).unit == Unit::bytes ? search.later_bytes : search.later_blocks;
    return later > result.allowed - std::min(result.allowed, result.measured);
}

std::string later_text(const LostSearchInfo& search) {
    return fmt::format(
        "Lost blocks were not judged: {} ({}) that are alive were acquired after the last search, "
        "at {}, and nobody knows whether they are lost. MEMTRACE_OPTIONS=lost=exit searches when "
        "the work ends.",
        human_bytes(search.later_bytes), counted(search.later_blocks, "block"),
        human_time(search.time_ns));
}

}  // namespace

void leave_out_unknown_lost(const Recording& recording, CheckResult& result) {
    const LostSearchInfo* const search = last_search(recording.model);
    const std::string why = why_unknown(recording.model, search);
    std::string obstacle;
    std::erase_if(result.limits, [&](const LimitResult& limit) {
        if (!is_of_search(limit.limit.metric) || limit.limit.is_off || !limit.passed) return false;
        if (why.empty() && !may_be_exceeded(limit, *search)) return false;
        obstacle = why.empty() ? later_text(*search) : why;
        return true;
    });
    if (!obstacle.empty()) result.obstacles.push_back(std::move(obstacle));
}

}  // namespace memtrace::analyzer
