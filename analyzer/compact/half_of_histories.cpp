// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/half_of_histories.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

// Returns the number of the slice that ends nearest to this time.
size_t nearest_slice(const RunSlices& slices, uint64_t time) {
    const auto nearest = std::min_element(
        slices.slices.begin(), slices.slices.end(), [&](const RunSlice& a, const RunSlice& b) {
            return distance(a.end_ns, time) < distance(b.end_ns, time);
        });
    return static_cast<size_t>(nearest - slices.slices.begin());
}

uint64_t held_at(const SiteHistory& history, size_t slice) {
    uint64_t bytes = 0;
    for (const HeldPoint& point : history.held) {
        if (point.slice > slice) break;
        bytes = point.bytes;
    }
    return bytes;
}

}  // namespace

void take_half_from_histories(Model& model) {
    if (model.process.half_ns != 0 || model.slices.slices.empty()) return;
    const size_t slice = nearest_slice(model.slices, model.process.duration_ns / 2);
    model.process.half_ns = model.slices.slices[slice].end_ns;
    for (Space& space : model.spaces) {
        space.totals.half_bytes = held_at(space.history, slice);
        const size_t count = std::min(space.sites.size(), space.histories.size());
        for (size_t i = 0; i < count; ++i) {
            Totals totals = space.sites.totals(i);
            totals.half_bytes = held_at(space.histories[i], slice);
            space.sites.set_totals(i, totals);
        }
    }
}

}  // namespace memtrace::analyzer
