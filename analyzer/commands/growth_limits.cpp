// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/growth_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analyzer/base/paths.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/check/measurements.h"

namespace memtrace::analyzer {
namespace {

double of_metric(const GrowthRate& rate, Metric metric) {
    return metric == Metric::growth_per_step ? rate.bytes_per_step : rate.bytes_per_hour;
}
double rate_of(const GrowthFinding& finding, Metric metric) {
    return of_metric(finding.rate, metric);
}

// What grows in a space although no limit counts it.
struct Unsure {
    double bytes = 0;  // in a step, or in an hour
    const GrowthFinding* largest = nullptr;
};

Unsure unsure_in(const Growth& growth, const Limit& limit) {
    Unsure unsure;
    for (const GrowthFinding& finding : growth.findings) {
        if (!is_growth(finding.verdict) || finding.space != limit.space) continue;
        if (is_known_to_grow(growth, finding)) continue;
        const double rate = rate_of(finding, limit.metric);
        unsure.bytes += rate;
        const bool is_larger =
            unsure.largest == nullptr || rate > rate_of(*unsure.largest, limit.metric);
        if (is_larger) unsure.largest = &finding;
    }
    return unsure;
}

std::string place_of(const Recording& recording, const GrowthFinding& finding) {
    const FrameId id = !finding.lines.empty()    ? finding.lines.front().frame
                       : !finding.frames.empty() ? finding.frames.front()
                                                 : no_frame;
    if (id == no_frame) return "an unknown place";
    const Frame& frame = recording.symbols.frames[id];
    if (frame.file.empty()) return printable(frame.function);
    return printable(fmt::format("{} ({}:{})", frame.function, base_name(frame.file), frame.line));
}

std::string unsure_text(const Recording& recording, const Growth& growth, const Limit& limit,
                        const Unsure& unsure) {
    return fmt::format(
        "The limit on {} was not judged: {} grows by {} {}, but is growing, not sure. In {} it may "
        "be a start, or data that is collected. Marked steps would tell, or ten minutes of it; "
        "memtrace-report growth says more.",
        printable(title_of(limit)), place_of(recording, *unsure.largest),
        human_bytes_of(rate_of(*unsure.largest, limit.metric)),
        limit.metric == Metric::growth_per_step ? "a step" : "an hour",
        human_time(growth.until_ns - std::min(growth.until_ns, unsure.largest->since_ns)));
}

// Returns by how much a space grows that has no call site which does.
double unplaced_in(const Growth& growth, const Limit& limit) {
    for (const SpaceGrowth& space : growth.spaces) {
        if (space.space == limit.space) return of_metric(space.unplaced, limit.metric);
    }
    return 0;
}

std::string unplaced_text(const Limit& limit, double bytes) {
    return fmt::format(
        "The limit on {} was not judged: it grows as a whole, by {} {}, but no call site does so "
        "steadily. memtrace-report growth says more, and a longer run would.",
        printable(title_of(limit)), human_bytes_of(bytes),
        limit.metric == Metric::growth_per_step ? "a step" : "an hour");
}

}  // namespace

void leave_out_unknown_growth(const Recording& recording, const Growth& growth,
                              CheckResult& result) {
    const bool is_judged = growth.not_judged.empty();
    bool lacks_steps = false, lacks_judgement = false;
    std::erase_if(result.limits, [&](const LimitResult& of) {
        const bool by_step = of.limit.metric == Metric::growth_per_step;
        if (of.limit.is_off || !(by_step || of.limit.metric == Metric::growth_per_hour))
            return false;
        if (!is_judged) return lacks_judgement = true;
        if (by_step && !growth.by_steps) return lacks_steps = true;
        if (!of.passed) return false;
        const double unplaced = unplaced_in(growth, of.limit);
        if (saturating_sum({of.measured, saturating_whole(unplaced)}) > of.allowed) {
            result.obstacles.push_back(unplaced_text(of.limit, unplaced));
            return true;
        }
        const Unsure unsure = unsure_in(growth, of.limit);
        const uint64_t most = saturating_sum({of.measured, saturating_whole(unsure.bytes)});
        if (unsure.largest == nullptr || most <= of.allowed) return false;
        result.obstacles.push_back(unsure_text(recording, growth, of.limit, unsure));
        return true;
    });
    if (lacks_judgement) result.obstacles.push_back("Growth was not judged: " + growth.not_judged);
    if (lacks_steps) {
        result.obstacles.push_back(
            "Growth in a step was not judged: the program marks no steps "
            "(docs/use/phases.md says how).");
    }
}

}  // namespace memtrace::analyzer
