// SPDX-License-Identifier: Apache-2.0
//
// The slices of a run, as the replay has them: in ticks, and by their cuts (history_cuts.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/site_history.h"
#include "analyzer/replay/loop_steps.h"

namespace memtrace::analyzer {

struct SliceOptions {
    std::string step;  // the mark that begins or ends a step; empty: found automatically
    unsigned slices_max = 120;
    // A loop whose steps count as if they were marked; null: none. `step` is empty then.
    std::shared_ptr<const LoopTurns> loop;
    // Cuts the slices further, and the rest of the work after them (RunSlice::is_part, is_after).
    // Those slices come in addition to `slices_max`.
    bool covers_run = false;
    // Only the rest of the work, after the slices that are judged: for a profile and a compacted
    // dump, which have no other course of it.
    bool covers_end = false;
};

// A cut of the run.
struct CutPlace {
    uint32_t cut = 0;
    uint64_t time = 0;
    uint64_t events = 0;  // number of events before it
};

struct SlicePlan {
    struct Slice {
        CutPlace end;  // The next slice begins there.
        uint64_t steps = 0;
        uint64_t events = 0;
        bool is_part = false;
        bool is_after = false;
    };
    std::vector<Slice> slices;
    std::string step;
    bool is_found = false;  // `step` is a loop.
    bool is_trimmed = false;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.slices, self.step, self.is_found, self.is_trimmed);
    }
};

RunSlices in_nanoseconds(const SlicePlan& plan, const TickClock& clock);

}  // namespace memtrace::analyzer
