// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_leaks.h"

#include <utility>
#include <vector>

namespace memtrace::analyzer {

namespace {

constexpr size_t findings_max = 30;
constexpr size_t frames_max = 60;

bool is_judged(const RunSlice& slice) { return !slice.is_part && !slice.is_after; }

Json ends_json(const std::vector<RunSlice>& slices) {
    Json json = Json::array();
    for (const RunSlice& slice : slices) {
        if (is_judged(slice)) json.push_back(slice.end_ns);
    }
    return json;
}

struct Curves {
    // Bytes at the end of each slice of the page: of those that are judged, the first may have all
    // that was before the steps.
    std::vector<uint64_t> held;
    // By the slices that are judged: bytes acquired in it and held at the end of the last.
    std::vector<uint64_t> born;
};

Curves curves_of(const Model& model, const Space& space, const GrowthFinding& finding) {
    const std::vector<RunSlice>& slices = model.slices.slices;
    std::vector<uint64_t> changes(slices.size()), born(slices.size());
    for (const uint32_t site : finding.members) {
        const SiteHistory history = space.histories[site];
        uint64_t before = 0;
        for (const HeldPoint& point : history.held) {  // Differences, modulo 2^64.
            if (point.slice < slices.size()) changes[point.slice] += point.bytes - before;
            before = point.bytes;
        }
        for (const BornPoint& point : history.born) {
            if (point.slice < slices.size()) born[point.slice] += point.bytes;
        }
    }
    Curves curves;
    uint64_t held = 0, born_in_parts = 0;
    for (size_t i = 0; i < slices.size(); ++i) {
        held += changes[i];
        curves.held.push_back(held);
        born_in_parts += born[i];
        if (!is_judged(slices[i])) continue;
        curves.born.push_back(std::exchange(born_in_parts, 0));
    }
    return curves;
}

Json finding_json(const Recording& recording, const Growth& growth, const GrowthFinding& finding,
                  PageNames& names) {
    Json frames = Json::array(), lines = Json::array();
    for (const FrameId id : finding.frames) {
        if (frames.size() < frames_max) frames.push_back(names.frame(id));
    }
    for (const GrowthLine& line : finding.lines) {
        lines.push_back({names.frame(line.frame), line.share});
    }
    Json json{{"space", finding.space},
              {"verdict", word_of(finding.verdict)},
              {"is_growth", is_growth(finding.verdict)},
              {"confidence", finding.confidence},
              {"held_bytes", finding.held_bytes},
              {"held_blocks", finding.held_blocks},
              {"grown_bytes", finding.grown_bytes},
              {"grown_blocks", finding.grown_blocks},
              {"acquired_blocks", finding.acquired_blocks},
              {"grown_steps", finding.grown_steps},
              {"since_ns", finding.since_ns},
              {"sites", finding.sites},
              {"per_step", growth.by_steps ? Json(finding.rate.bytes_per_step) : Json(nullptr)},
              {"per_hour", finding.rate.bytes_per_hour},
              {"why", finding.why},
              {"reason", sentence_of(finding.reason)},
              {"frames", std::move(frames)},
              {"lines", std::move(lines)}};
    const Space* space = find_space(recording.model, finding.space);
    if (space != nullptr && !space->histories.empty()) {
        Curves curves = curves_of(recording.model, *space, finding);
        json["held"] = std::move(curves.held);
        json["born"] = std::move(curves.born);
    }
    return json;
}

}  // namespace

Json page_leaks_json(const Recording& recording, const Growth& growth, PageNames& names) {
    Json findings = Json::array();
    for (const GrowthFinding& finding : growth.findings) {
        if (findings.size() == findings_max) break;
        findings.push_back(finding_json(recording, growth, finding, names));
    }
    Json spaces = Json::array();
    for (const SpaceGrowth& space : growth.spaces) {
        spaces.push_back({{"space", space.space},
                          {"verdict", word_of(space.verdict)},
                          {"is_growth", is_growth(space.verdict)},
                          {"held_bytes", space.held_bytes},
                          {"per_hour", space.rate.bytes_per_hour},
                          {"why", space.why}});
    }
    Json ends = Json::array();
    for (const Exhaustion& end : growth.exhaustions) {
        ends.push_back({{"of", end.of},
                        {"capacity", end.capacity},
                        {"used", end.used},
                        {"per_hour", end.bytes_per_hour},
                        {"after_ns", end.after_ns},
                        {"not_known", end.not_known}});
    }
    return {{"not_judged", growth.not_judged},
            {"by_steps", growth.by_steps},
            {"points", growth.points},
            {"ends_ns", ends_json(recording.model.slices.slices)},
            {"all_findings", growth.findings.size()},
            {"findings", std::move(findings)},
            {"spaces", std::move(spaces)},
            {"ends", std::move(ends)}};
}

}  // namespace memtrace::analyzer
