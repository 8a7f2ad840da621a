// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_lost.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/model/measure.h"
#include "analyzer/report/report_lost.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t stacks_max = 20;  // of each kind
constexpr size_t frames_max = 60;

Json amount(uint64_t blocks, uint64_t bytes) { return {{"blocks", blocks}, {"bytes", bytes}}; }

struct Stack {
    std::vector<FrameId> frames;  // innermost first
    uint64_t blocks = 0;
    uint64_t bytes = 0;
};

// Returns the stacks that acquired such blocks, the largest first. Call sites that look alike are
// one.
std::vector<Stack> stacks_of(const Space& space, const StackView& view, Measure measure) {
    std::map<std::vector<FrameId>, Totals> sums;
    for (const Site& site : space.sites) {
        if (blocks_of(site.totals, measure) == 0) continue;
        std::vector<FrameId> frames;
        view.walk(site.stack, [&](FrameId id, uint32_t) {
            frames.push_back(id);
            return frames.size() < frames_max;
        });
        add(sums[std::move(frames)], site.totals);
    }
    std::vector<Stack> stacks;
    for (const auto& [frames, totals] : sums)
        stacks.push_back({frames, blocks_of(totals, measure), value_of(totals, measure)});
    std::stable_sort(stacks.begin(), stacks.end(), [](const Stack& a, const Stack& b) {
        return std::pair(a.bytes, a.blocks) > std::pair(b.bytes, b.blocks);
    });
    return stacks;
}

Json kind_json(const LostFigures::Row& kind, const std::vector<Stack>& stacks, PageNames& names) {
    Json json = amount(kind.blocks, kind.bytes);
    json["name"] = kind.name;
    json["meaning"] = kind.meaning;
    json["stacks"] = Json::array();
    uint64_t blocks = 0, bytes = 0;  // of the stacks that are shown
    const size_t shown = std::min(stacks.size(), stacks_max);
    for (size_t i = 0; i < shown; ++i) {
        Json stack = amount(stacks[i].blocks, stacks[i].bytes);
        stack["frames"] = Json::array();
        for (const FrameId id : stacks[i].frames) stack["frames"].push_back(names.frame(id));
        json["stacks"].push_back(std::move(stack));
        blocks += stacks[i].blocks;
        bytes += stacks[i].bytes;
    }
    json["more"] = amount(kind.blocks - blocks, kind.bytes - bytes);
    json["more"]["stacks"] = stacks.size() - shown;
    return json;
}

}  // namespace

Json page_lost_json(const Recording& recording, const StackView& view, PageNames& names) {
    const Model& model = recording.model;
    if (model.searches.empty()) return nullptr;
    Json json{{"why_not", why_not_searched(model)}, {"text", ""}, {"kinds", Json::array()}};
    const std::optional<LostFigures> figures = lost_figures(model);
    if (!figures) return json;
    json["text"] = figures->text;
    const Space& host = *find_space(model, "host");
    for (const LostFigures::Row& kind : figures->kinds) {
        json["kinds"].push_back(kind_json(kind, stacks_of(host, view, kind.measure), names));
    }
    json["reachable"] = amount(figures->reachable_blocks, figures->reachable_bytes);
    json["later"] = amount(figures->later_blocks, figures->later_bytes);
    return json;
}

}  // namespace memtrace::analyzer
