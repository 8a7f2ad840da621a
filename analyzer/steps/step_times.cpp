// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_times.h"

#include <algorithm>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/problems.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"

namespace memtrace::analyzer {

StepTimes load_step_times(const std::string& path, const LoopTurns& loop) {
    Problems ignored;
    DumpFile file(path, ignored);
    const DumpIndex index = index_dump(file, ignored, {});
    TickClock clock(file.header().ticks_per_second);
    LoopCuts cuts(loop, StackNodes{});
    StepTimes found;
    bool is_open = false;
    uint64_t last = 0;
    EventStream(file, index, ignored).run([&](size_t lane, const Event& event) {
        last = std::max(last, event.key / 2);
        if (const auto* anchor = record_if<Clock>(event)) clock.add_anchor(*anchor);
        const LoopSteps::Step step = cuts.take(static_cast<uint32_t>(lane), event);
        if (step == LoopSteps::Step::none) return;
        // The head of a loop may run once more than its body.
        const bool is_over = loop.count != 0 && found.begins.size() == loop.count;
        if (step == LoopSteps::Step::begins && !is_over) {
            found.begins.push_back(last);
            is_open = true;
        } else if (is_open) {
            found.end = last;
            is_open = false;
        }
    });
    if (is_open) found.end = last;
    clock.settle();
    for (uint64_t& begin : found.begins) begin = clock.ns(begin);
    found.end = clock.ns(found.end);
    return found;
}

}  // namespace memtrace::analyzer
