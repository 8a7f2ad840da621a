// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_course.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

namespace {

Json differences(const HeldCurve& curve, uint64_t CurveSlice::*figure, uint64_t before = 0) {
    Json json = Json::array();
    for (const CurveSlice& slice : curve.slices) {
        const uint64_t now = slice.*figure;
        json.push_back(static_cast<int64_t>(now - std::exchange(before, now)));
    }
    return json;
}

// Returns the bytes that a block must have, so that at most `most` have them.
uint64_t least_bytes(const std::vector<BlockLife>& blocks, size_t most) {
    if (blocks.size() <= most) return 0;
    std::vector<uint64_t> bytes;
    for (const BlockLife& block : blocks) bytes.push_back(block.bytes);
    const auto last = bytes.begin() + static_cast<ptrdiff_t>(most);
    std::nth_element(bytes.begin(), last, bytes.end(), std::greater<>());
    return *last + 1;
}

constexpr uint64_t ns_of_us = 1000;

}  // namespace

const SpaceWatch* watch_of(const Model& model, const Space& space) {
    if (model.watch == nullptr) return nullptr;
    const auto found = model.watch->spaces.find(space.name);
    return found == model.watch->spaces.end() ? nullptr : &found->second;
}

Json course_ends_json(const Model& model) {
    Json json = Json::array();
    if (model.watch == nullptr) return json;
    for (const auto& [name, space] : model.watch->spaces) {
        const HeldCurve& curve = space.curve;
        if (curve.slices.empty()) continue;
        // The curves of all spaces have the same slices.
        json = differences(curve, &CurveSlice::end_ns, curve.begin_ns);
        json.insert(json.begin(), curve.begin_ns);
        return json;
    }
    return json;
}

Json course_json(const Model& model, const Space& space) {
    const SpaceWatch* const watch = watch_of(model, space);
    if (watch == nullptr || watch->curve.slices.empty()) return nullptr;
    return {{"lowest", differences(watch->curve, &CurveSlice::lowest)},
            {"highest", differences(watch->curve, &CurveSlice::highest)}};
}

Json blocks_json(const Model& model, const Space& space, const PageSpace& page, size_t most) {
    const SpaceWatch* const watch = watch_of(model, space);
    // A sample has single blocks, and each stands for others that are not known.
    if (watch == nullptr || watch->largest.empty() || space.is_estimate) return nullptr;
    const uint64_t least = least_bytes(watch->largest, most);
    const PageSiteNumbers sites(space, page);
    Json json{{"site", Json::array()},
              {"begin", Json::array()},
              {"life", Json::array()},
              {"bytes", Json::array()}};
    uint64_t before = 0;
    for (const BlockLife& block : watch->largest) {
        const uint32_t site = sites.site_of(block.site);
        if (block.bytes < least || site == PageSiteNumbers::none) continue;
        const uint64_t begin = block.begin / ns_of_us;
        json["site"].push_back(site);
        json["begin"].push_back(begin - std::exchange(before, begin));
        json["life"].push_back(
            block.is_alive ? Json(-1) : Json(std::max(block.end / ns_of_us, begin) - begin));
        json["bytes"].push_back(block.bytes);
    }
    return json;
}

}  // namespace memtrace::analyzer
