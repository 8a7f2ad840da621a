// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_times.h"

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
    LoopClock steps(loop.count);
    EventStream stream(file, index, ignored);
    stream.skip_nodes();
    stream.run([&](size_t lane, const Event& event) {
        if (const auto* anchor = record_if<Clock>(event)) clock.add_anchor(*anchor);
        steps.take(event.key / 2, cuts.take(static_cast<uint32_t>(lane), event));
    });
    clock.settle();
    return steps.finish(clock);
}

}  // namespace memtrace::analyzer
