// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/json_frames.h"

#include <array>

#include "analyzer/frames/backward_frames.h"
#include "analyzer/model/estimate.h"

namespace memtrace::analyzer {

Json frame_json(const Frame& frame) {
    static constexpr std::array kinds{"native", "inline", "python",  "native",
                                      "gap",    "group",  "backward"};
    const bool is_backward = frame.kind == FrameKind::backward;
    Json json{
        {"function", is_backward ? "backward of " + backward_function(frame) : frame.function},
        {"file", frame.file},
        {"line", frame.line},
        {"module", frame.module},
        {"kind", kinds[static_cast<size_t>(frame.kind)]}};
    if (frame.kind == FrameKind::cut) json["cut"] = true;
    if (is_backward) json["operation"] = frame.operation;
    if (frame.column != 0) json["column"] = frame.column;
    if (frame.end_column != 0) {
        if (frame.end_line != frame.line) json["end_line"] = frame.end_line;
        json["end_column"] = frame.end_column;
    }
    return json;
}

namespace {

Json phase_json(const AskedPhase& phase) {
    return {{"asked", phase.asked},
            {"occurrences", phase.occurrences},
            {"open", phase.open},
            {"first_begin_ns", phase.first_begin_ns},
            {"duration_ns", phase.duration_ns}};
}

Json range_json(const AskedRange& range) {
    const auto text = [](const std::string& typed) {
        return typed.empty() ? Json(nullptr) : Json(typed);
    };
    return {{"from", text(range.from)},           {"to", text(range.to)},
            {"from_step", text(range.from_step)}, {"to_step", text(range.to_step)},
            {"begin_ns", range.begin_ns},         {"end_ns", range.end_ns}};
}

Json filters_json(const FilterInfo& info) {
    const SiteFilters& filters = info.filters;
    Json spaces = Json::object();
    for (const FilteredSpace& space : info.spaces) {
        spaces[space.name] = {{"whole", sums_json(space.whole, space.is_estimate)},
                              {"kept", sums_json(space.kept, space.is_estimate)}};
    }
    return {{"threads", filters.threads},
            {"modules", filters.modules},
            {"functions", filters.functions},
            {"files", filters.files},
            {"own", filters.own},
            {"python_only", filters.python_only},
            {"spaces", spaces}};
}

}  // namespace

void add_selection(Json& document, const Model& model) {
    const auto& phase = model.phase;
    if (phase && !phase->asked.empty()) document["phase"] = phase_json(*phase);
    if (phase && phase->range) document["range"] = range_json(*phase->range);
    if (model.phases && model.phases->range) document["range"] = range_json(*model.phases->range);
    if (model.filters) document["filters"] = filters_json(*model.filters);
}

Json sums_json(const Totals& totals, bool is_estimate) {
    const Json temporary = is_estimate ? Json(nullptr) : Json(totals.temporary);
    return {{"allocations", totals.allocations},
            {"allocated_bytes", totals.allocated_bytes},
            {"at_peak_bytes", totals.at_peak_bytes},
            {"at_peak_blocks", totals.at_peak_blocks},
            {"held_bytes", totals.held_bytes},
            {"held_blocks", totals.held_blocks},
            {"leaked_bytes", totals.live_bytes},
            {"leaked_blocks", totals.live_blocks},
            {"temporary", temporary},
            {"frees", totals.frees}};
}

Json ranges_json(const Space& space, const Totals& totals, std::optional<uint64_t> estimated) {
    const uint64_t part = estimated.value_or(UINT64_MAX);
    const auto of = [&](uint64_t bytes) {
        const EstimateRange range = estimate_range(bytes, part, space.sample_interval);
        return Json::array({range.low, range.high});
    };
    const auto of_peak = [&](uint64_t bytes) {
        const EstimateRange range = estimate_peak_range(bytes, part, space.sample_interval);
        return Json::array({range.low, range.high});
    };
    const auto exactly = [](uint64_t bytes) { return Json::array({bytes, bytes}); };
    const bool has_exact_peak =
        estimated && space.exact_until_ns && space.peak_time_ns < *space.exact_until_ns;
    return {{"allocated_bytes", of(totals.allocated_bytes)},
            {"at_peak_bytes",
             has_exact_peak ? exactly(totals.at_peak_bytes) : of_peak(totals.at_peak_bytes)},
            {"own_peak_bytes", of_peak(totals.own_peak_bytes)},
            {"leaked_bytes", of(totals.live_bytes)},
            {"held_bytes", of(totals.held_bytes)}};
}

Json ranges_json(const Space& space) {
    std::optional<uint64_t> estimated;
    for (const uint64_t part : space.estimated_bytes) estimated = estimated.value_or(0) + part;
    return ranges_json(space, space.totals, estimated);
}

}  // namespace memtrace::analyzer
