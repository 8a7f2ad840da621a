// SPDX-License-Identifier: Apache-2.0
//
// What a reader must know of a heap that is a sample, and what it means for the model that it
// became one.
#pragma once

#include <string>

#include <fmt/format.h>

#include "analyzer/base/tick_clock.h"
#include "analyzer/base/units.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "analyzer/spaces/sampled_blocks.h"

namespace memtrace::analyzer {

inline void remark_on_sample(const SampledBlocks& sample, const TickClock& clock,
                             Problems& problems) {
    if (!sample.is_sample()) return;
    const auto& turned = sample.intervals().turned();
    const std::string since =
        turned ? fmt::format(" since {}, because the dump must stay small (max_dump)",
                             human_time(clock.ns(*turned)))
               : "";
    problems.remark("sample", fmt::format("The heap is a sample{}: the host's ledger needs every "
                                          "block, and is left out.",
                                          since));
}

// What was temporary until the turn says nothing of the whole.
inline void leave_out_temporary(Space& space) {
    space.totals.temporary = 0;
    for (size_t i = 0; i < space.sites.size(); ++i) {
        Totals totals = space.sites.totals(i);
        if (totals.temporary == 0) continue;
        totals.temporary = 0;
        space.sites.set_totals(i, totals);
    }
}

// Call when the model has the part of the run that was asked for. A part before the turn is exact.
// Of another, it is not known how much is an estimate.
inline void settle_turn(Model& model) {
    const auto& phase = model.phase;
    const uint64_t end_ns = phase && phase->range ? phase->range->end_ns : UINT64_MAX;
    for (Space& space : model.spaces) {
        if (!space.exact_until_ns) continue;
        if (phase) space.estimated_bytes.clear();
        if (end_ns > *space.exact_until_ns) {
            leave_out_temporary(space);
            continue;
        }
        space.is_estimate = false;
        space.sample_interval = 0;
        space.sampled = 0;
        space.exact_until_ns.reset();
    }
}

}  // namespace memtrace::analyzer
