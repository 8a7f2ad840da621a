// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/slice_plan.h"

namespace memtrace::analyzer {

RunSlices in_nanoseconds(const SlicePlan& plan, const TickClock& clock) {
    RunSlices result;
    result.step = plan.step;
    result.is_found = plan.is_found;
    result.is_trimmed = plan.is_trimmed;
    for (const SlicePlan::Slice& slice : plan.slices) {
        result.slices.push_back(
            {clock.ns(slice.end.time), slice.steps, slice.events, slice.is_part, slice.is_after});
        result.steps += slice.steps;
    }
    return result;
}

}  // namespace memtrace::analyzer
