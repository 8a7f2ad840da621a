// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_figures.h"

namespace memtrace::analyzer {

void add(DiffFigures& sum, const DiffFigures& part) {
    for (uint64_t DiffFigures::*const figure : diff_figures) sum.*figure += part.*figure;
}

DiffFigures figures_of(const Totals& totals, const Model& model, const Space& space) {
    const bool of_work = held_measure(model, space) == Measure::held;
    return {.peak_bytes = totals.at_peak_bytes,
            .peak_blocks = totals.at_peak_blocks,
            .held_bytes = of_work ? totals.held_bytes : totals.live_bytes,
            .held_blocks = of_work ? totals.held_blocks : totals.live_blocks,
            .allocated_bytes = totals.allocated_bytes,
            .allocations = totals.allocations};
}

void add_steps(DiffFigures& figures, const SiteHistory& history) {
    HeldPoint before, end;
    for (const HeldPoint& point : history.held) {
        if (point.slice == 0) before = point;
        end = point;
    }
    figures.step_bytes += end.allocated_bytes - before.allocated_bytes;
    figures.step_allocations += end.allocations - before.allocations;
}

}  // namespace memtrace::analyzer
