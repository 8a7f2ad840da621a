// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/timeline.h"

#include <algorithm>

#include "analyzer/model/run_watch.h"
#include "analyzer/phases/mark_ranges.h"

namespace memtrace::analyzer {
namespace {

// The span of the report, and the ends of its slices.
struct Span {
    uint64_t begin_ns = 0;
    std::vector<uint64_t> ends_ns;
    bool has_end = false;  // The last one is what the process did after its work.
};

Span span_of(const Model& model) {
    Span span;
    if (model.watch != nullptr) {
        for (const auto& [name, watched] : model.watch->spaces) {
            if (watched.curve.slices.empty()) continue;
            span.begin_ns = watched.curve.begin_ns;
            for (const CurveSlice& slice : watched.curve.slices) {
                span.ends_ns.push_back(slice.end_ns);
            }
            return span;
        }
        return span;
    }
    for (const RunSlice& slice : model.slices.slices) span.ends_ns.push_back(slice.end_ns);
    span.has_end = !span.ends_ns.empty() && span.ends_ns.back() < model.process.duration_ns;
    if (span.has_end) span.ends_ns.push_back(model.process.duration_ns);
    return span;
}

std::vector<TimelineSlice> slices_of(const HeldCurve& curve) {
    std::vector<TimelineSlice> slices;
    uint64_t begin = curve.begin_ns;
    for (const CurveSlice& slice : curve.slices) {
        slices.push_back({begin, slice.end_ns, slice.lowest, slice.highest, slice.last});
        begin = slice.end_ns;
    }
    return slices;
}

// Of a profile.
std::vector<TimelineSlice> slices_of(const SiteHistory& history, const Span& span) {
    std::vector<TimelineSlice> slices;
    uint64_t begin = span.begin_ns, bytes = 0;
    auto point = history.held.begin();
    for (size_t i = 0; i < span.ends_ns.size(); ++i) {
        for (; point != history.held.end() && point->slice <= i; ++point) bytes = point->bytes;
        slices.push_back({begin, span.ends_ns[i], {}, {}, bytes});
        begin = span.ends_ns[i];
    }
    return slices;
}

// The samples lie somewhere in the slices. One holds until the next. Nothing: a part of the run had
// ended before the first.
std::optional<TimelineCurve> resident_curve(const Model& model, const Span& span) {
    TimelineCurve curve;
    curve.name = Timeline::resident;
    uint64_t begin = span.begin_ns;
    std::optional<uint64_t> now;
    auto sample = model.samples.begin();
    for (; sample != model.samples.end() && sample->time_ns < begin; ++sample) now = sample->rss;
    if (now) {
        curve.peak_bytes = *now;
        curve.peak_time_ns = begin;
    }
    for (const uint64_t end : span.ends_ns) {
        const bool is_last = end == span.ends_ns.back();
        TimelineSlice slice{begin, end, now, now, now};
        for (; sample != model.samples.end() && (sample->time_ns < end || is_last); ++sample) {
            if (is_last && sample->time_ns > end) break;
            now = sample->rss;
            slice.lowest = std::min(slice.lowest.value_or(*now), *now);
            slice.highest = std::max(slice.highest.value_or(*now), *now);
            slice.last = now;
            if (*now <= curve.peak_bytes) continue;
            curve.peak_bytes = *now;
            curve.peak_time_ns = sample->time_ns;
        }
        curve.slices.push_back(slice);
        begin = end;
    }
    return now ? std::optional(std::move(curve)) : std::nullopt;
}

void add_marks(Timeline& timeline, const Model& model) {
    for (const MarkRange& range : ranges_of_marks(model).ranges) {
        timeline.phases.push_back(
            {std::string(range.name), range.begin_ns, range.end_ns.value_or(timeline.end_ns)});
    }
    for (const MarkInfo& mark : model.marks) {
        if (mark.kind == MarkKind::mark && mark.time_ns >= timeline.begin_ns &&
            mark.time_ns <= timeline.end_ns) {
            timeline.marks.push_back(mark);
        }
    }
    std::erase_if(timeline.phases, [&](const TimelinePhase& phase) {
        return phase.end_ns < timeline.begin_ns || phase.begin_ns > timeline.end_ns;
    });
}

void add_steps(Timeline& timeline, const Model& model) {
    timeline.step = model.slices.step;
    for (const RunSlice& slice : model.slices.slices) {
        if (slice.steps == 0 || slice.end_ns < timeline.begin_ns ||
            slice.end_ns > timeline.end_ns) {
            continue;
        }
        timeline.steps += slice.steps;
        timeline.step_ends_ns.push_back(slice.end_ns);
    }
}

}  // namespace

Timeline make_timeline(const Recording& recording) {
    const Model& model = recording.model;
    const Span span = span_of(model);
    Timeline timeline;
    timeline.ends_only = model.watch == nullptr;
    timeline.begin_ns = span.begin_ns;
    timeline.end_ns = span.ends_ns.empty() ? span.begin_ns : span.ends_ns.back();
    if (!model.filters) {
        if (auto resident = resident_curve(model, span)) {
            timeline.curves.push_back(std::move(*resident));
        }
    }
    for (const Space& space : model.spaces) {
        TimelineCurve curve;
        curve.name = space.name;
        curve.is_estimate = space.is_estimate;
        curve.peak_bytes = space.totals.at_peak_bytes;
        curve.peak_time_ns = space.peak_time_ns;
        if (model.watch != nullptr) {
            const auto found = model.watch->spaces.find(space.name);
            if (found == model.watch->spaces.end()) continue;
            curve.slices = slices_of(found->second.curve);
            curve.peak_bytes = found->second.curve.peak_bytes;
            curve.peak_time_ns = found->second.curve.peak_time_ns;
        } else {
            curve.slices = slices_of(space.history, span);
            if (span.has_end) curve.slices.back().last = space.totals.live_bytes;
        }
        timeline.curves.push_back(std::move(curve));
    }
    add_marks(timeline, model);
    add_steps(timeline, model);
    return timeline;
}

}  // namespace memtrace::analyzer
