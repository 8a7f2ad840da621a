// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/work_begin.h"

#include <algorithm>
#include <vector>

#include "analyzer/sites/own_places.h"

namespace memtrace::analyzer {
namespace {

enum class Side : uint8_t { neither, import, work };

// By node: what the innermost of its frames and its callers' frames that tells says.
std::vector<Side> sides_of(const Recording& recording) {
    const OwnPlaces places = find_own_places(recording);
    const StackNodes& nodes = recording.symbols.nodes;
    std::vector<Side> sides(nodes.size(), Side::neither);
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        const OwnPlace& place = places.of_locations[nodes.location_of(node)];
        const uint32_t parent = nodes.parent(node);
        if (parent < node) sides[node] = sides[parent];
        if (place.kind == OwnPlace::Kind::importing) sides[node] = Side::import;
        if (place.kind == OwnPlace::Kind::own && !place.is_foreign) sides[node] = Side::work;
    }
    return sides;
}

struct Acquisitions {
    double imports = 0;
    double work = 0;
};

// Samples stand for many objects, and mappings are few, so the heap's blocks tell.
std::vector<Acquisitions> acquisitions_by_slice(const Recording& recording) {
    const std::vector<RunSlice>& all = recording.model.slices.slices;
    const auto judged = std::count_if(all.begin(), all.end(),
                                      [](const RunSlice& slice) { return !slice.is_after; });
    std::vector<Acquisitions> slices(static_cast<size_t>(judged));
    const Space* host = find_space(recording.model, "host");
    if (host == nullptr || host->histories.size() != host->sites.size()) return slices;
    const std::vector<Side> sides = sides_of(recording);
    for (uint32_t i = 0; i < host->sites.size(); ++i) {
        const Side side = sides[host->sites[i].stack];
        if (side == Side::neither) continue;
        const SiteHistory history = host->histories[i];
        uint64_t before = 0;
        for (const HeldPoint& point : history.held) {
            if (point.slice >= slices.size()) break;
            Acquisitions& here = slices[point.slice];
            (side == Side::import ? here.imports : here.work) +=
                static_cast<double>(point.allocations - before);
            before = point.allocations;
        }
    }
    return slices;
}

}  // namespace

size_t slices_before_work(const Recording& recording, size_t rest_min) {
    constexpr double imports_part = 0.8;  // of all acquisitions before the work, at least
    constexpr size_t work_part = 5;       // At most a fifth of these slices is work already.
    const std::vector<Acquisitions> slices = acquisitions_by_slice(recording);
    double imports = 0, work = 0;
    size_t begin = 0, busy = 0;
    for (size_t i = 0; i + rest_min < slices.size(); ++i) {
        imports += slices[i].imports;
        work += slices[i].work;
        busy += slices[i].work > slices[i].imports;
        const bool is_import = slices[i].imports > slices[i].work;
        const bool are_most = imports >= imports_part * (imports + work);
        if (is_import && are_most && busy * work_part <= i + 1) begin = i + 1;
    }
    return begin;
}

GrowthCurves curves_of_work(const Recording& recording, size_t rest_min) {
    if (recording.model.slices.step.empty()) {
        GrowthCurves curves(recording.model, slices_before_work(recording, rest_min));
        if (curves.size() >= rest_min) return curves;
    }
    return GrowthCurves(recording.model);
}

}  // namespace memtrace::analyzer
