// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_json.h"

#include <algorithm>
#include <span>

#include "analyzer/base/json_text.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t listed_max = 10;  // parts, and lines, of one finding

// Returns the largest ones.
template <class Part>
std::span<const Part> listed(const std::vector<Part>& parts) {
    return {parts.data(), std::min(parts.size(), listed_max)};
}

Json rate_json(const GrowthRate& rate) {
    return {{"bytes_per_step", rate.bytes_per_step},
            {"blocks_per_step", rate.blocks_per_step},
            {"bytes_per_hour", rate.bytes_per_hour},
            {"blocks_per_hour", rate.blocks_per_hour},
            {"low", rate.low},
            {"high", rate.high}};
}

Json finding_json(const Recording& recording, const GrowthFinding& finding) {
    const StackView view(recording.symbols);
    Json json{{"space", finding.space},
              {"verdict", word_of(finding.verdict)},
              {"confidence", finding.confidence}};
    json.update(rate_json(finding.rate));
    json.update({{"held_bytes", finding.held_bytes},
                 {"held_blocks", finding.held_blocks},
                 {"grown_bytes", finding.grown_bytes},
                 {"grown_blocks", finding.grown_blocks},
                 {"kept", finding.grown_blocks},
                 {"of", finding.acquired_blocks},
                 {"per_step", finding.rate.bytes_per_step},
                 {"reason", word_of(finding.reason)},
                 {"since_ns", finding.since_ns},
                 {"sites", finding.sites},
                 {"why", finding.why}});
    json["stack"] = Json::array();
    for (const FrameId id : finding.frames) {
        json["stack"].push_back(frame_json(recording.symbols.frames[id]));
    }
    json["parts"] = Json::array();
    for (const GrowthPart& part : listed(finding.parts)) {
        Json stack = Json::array();
        view.walk(part.stack, [&](FrameId id, uint32_t) {
            stack.push_back(frame_json(recording.symbols.frames[id]));
            return true;
        });
        json["parts"].push_back({{"share", part.share}, {"stack", std::move(stack)}});
    }
    json["own"] = nullptr;
    if (!finding.lines.empty()) {
        const Frame& own = recording.symbols.frames[finding.lines[0].frame];
        json["own"] = {{"file", own.file}, {"line", own.line}, {"function", own.function}};
    }
    json["lines"] = Json::array();
    for (const GrowthLine& line : listed(finding.lines)) {
        Json frame = frame_json(recording.symbols.frames[line.frame]);
        json["lines"].push_back({{"share", line.share}, {"frame", std::move(frame)}});
    }
    return json;
}

}  // namespace

std::string growth_json(const Recording& recording, const Growth& growth) {
    Json findings = Json::array();
    for (const GrowthFinding& finding : growth.findings) {
        findings.push_back(finding_json(recording, finding));
    }
    Json spaces = Json::array();
    for (const SpaceGrowth& space : growth.spaces) {
        Json json{{"space", space.space},
                  {"verdict", word_of(space.verdict)},
                  {"held_bytes", space.held_bytes},
                  {"why", space.why}};
        json.update(rate_json(space.rate));
        spaces.push_back(std::move(json));
    }
    Json ends = Json::array();
    for (const Exhaustion& end : growth.exhaustions) {
        ends.push_back(
            {{"of", end.of},
             {"capacity", end.capacity},
             {"used", end.used},
             {"used_by_memtrace", end.own != 0 ? Json(end.own) : Json(nullptr)},
             {"bytes_per_hour", end.bytes_per_hour},
             {"after_s", end.not_known.empty() ? Json(end.after_ns / 1e9) : Json(nullptr)},
             {"not_known", end.not_known.empty() ? Json(nullptr) : Json(end.not_known)}});
    }
    const RunSlices& slices = recording.model.slices;
    const Json json{
        {"unit", growth.by_steps ? "step" : "s"},
        {"step", growth.by_steps ? Json(slices.step) : Json(nullptr)},
        {"steps", slices.steps},
        {"points", growth.points},
        {"until_ns", growth.until_ns},
        {"trimmed", slices.is_trimmed},
        {"not_judged", growth.not_judged.empty() ? Json(nullptr) : Json(growth.not_judged)},
        {"findings", std::move(findings)},
        {"spaces", std::move(spaces)},
        {"out_of_memory", std::move(ends)}};
    return "\"growth\": " + json_text(json, 2);
}

}  // namespace memtrace::analyzer
