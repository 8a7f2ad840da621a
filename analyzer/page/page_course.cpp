// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_course.h"

#include <utility>

#include "analyzer/model/run_watch.h"

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

}  // namespace

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
    if (model.watch == nullptr) return nullptr;
    const auto found = model.watch->spaces.find(space.name);
    if (found == model.watch->spaces.end() || found->second.curve.slices.empty()) return nullptr;
    const HeldCurve& curve = found->second.curve;
    return {{"lowest", differences(curve, &CurveSlice::lowest)},
            {"highest", differences(curve, &CurveSlice::highest)}};
}

}  // namespace memtrace::analyzer
