// SPDX-License-Identifier: Apache-2.0
//
// Says what became of the memory by which a call site grew, and so whether growth is a leak. A
// program that collects data and ends has the same curves as one that leaks, and must not be
// accused. So steady growth is a leak only for a reason (docs/use/leaks.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/growth/growth_curves.h"
#include "analyzer/growth/growth_judge.h"
#include "analyzer/model/measure.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Slices that a run must have at least.
inline constexpr size_t growth_points_min = 10;

// Why this run cannot be judged; empty if it can be.
std::string reason_not_to_judge(const Model& model, bool has_histories, const GrowthCurves& curves);

// Growth that has lasted so long, and for a hundred steps if there are any, is no start any more.
inline constexpr uint64_t long_growth_ns = 600'000'000'000;
bool is_long_growth(uint64_t lasted_ns, uint64_t steps);

// What became of the memory in the end.
enum class GrowthReason : uint8_t {
    unknown,                  // the program did not come to its end, or some of it was freed
    not_freed,                // still held when the process ended
    freed_at_exit,            // by exit handlers
    freed_when_python_ended,  // when the interpreter was taken apart
    lost,                     // a search has found that nothing points to it
    freed_in_work,            // by the program, when it had grown, before its work ended
};
std::string_view word_of(GrowthReason reason);      // "not_freed", as in JSON
std::string_view sentence_of(GrowthReason reason);  // for people; empty for `unknown`

// How the run as a whole bears on the verdict.
struct RunFacts {
    bool is_python = false;
    bool has_ended = false;         // with its exit handlers: what could be freed was freed
    bool is_running = false;        // It still runs.
    bool is_marked = false;         // The program marks its steps.
    bool does_known_steps = false;  // They are those of a training or of a server.
    uint64_t work_end_ns = 0;       // when the work ended
};
RunFacts facts_of_run(const Model& model);

// What is known of the blocks that grew, at the end.
struct GrownBlocks {
    double grown = 0;
    double alive = 0;
    double lost = 0;  // definitely or indirectly
    double held = 0;  // when the work ended

    void add(const Totals& totals) {  // of one of the call sites
        alive += static_cast<double>(totals.live_blocks);
        held += static_cast<double>(totals.held_blocks);
        lost += static_cast<double>(blocks_of(totals, Measure::lost));
    }
};
GrowthReason reason_of(const RunFacts& run, const GrownBlocks& blocks);

// The part of the run in which it grew.
struct GrowthTime {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;            // The last step, block that stayed, or event of it.
    uint64_t steps = 0;             // 0: the run is not cut by steps
    uint64_t longest_pause_ns = 0;  // between blocks that stayed
    bool is_quiet_after = false;    // Hardly anything was allocated after it.
};

// Returns when a curve grew. It grew until its last survivor came, if the time since then is longer
// than any pause before.
GrowthTime time_of(const GrowthCurves& curves, const Curve& curve, const Judgement& judgement,
                   uint64_t last_birth_ns, const RunFacts& run);

// Turns steady growth into a verdict: leak, loaded, or growing if no reason makes it a leak.
// Extends Judgement::why.
void decide(Judgement& judgement, GrowthReason reason, const RunFacts& run, const GrowthTime& time);

}  // namespace memtrace::analyzer
