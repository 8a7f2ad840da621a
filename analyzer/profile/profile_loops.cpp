// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"

namespace memtrace::analyzer {

void write_loops(const Recording& recording, stored::Profile& file) {
    const SourceLoops& all = recording.model.loops;
    if (all.loops.empty() && all.why_none.empty()) return;
    stored::Loops& loops = *file.mutable_loops();
    for (const SourceLoop& loop : all.loops) {
        stored::Loop& stored = *loops.add_loops();
        stored.set_function(loop.function);
        stored.set_file(loop.file);
        stored.set_line(loop.line);
        stored.set_thread(loop.thread);
        stored.set_threads(loop.threads);
        stored.set_is_counted(loop.count.has_value());
        stored.set_count(loop.count.value_or(0));
        stored.set_why_not(loop.why_not);
        stored.set_parent(loop.parent ? static_cast<uint32_t>(*loop.parent + 1) : 0);
        stored.set_is_own(loop.is_own);
        stored.set_begin_ns(loop.begin_ns);
        stored.set_end_ns(loop.end_ns);
        stored.set_entries(loop.entries);
    }
    loops.set_steps(all.steps ? static_cast<uint32_t>(*all.steps + 1) : 0);
    loops.set_why_none(all.why_none);
}

void read_loops(Recording& recording, const stored::Profile& file) {
    SourceLoops& all = recording.model.loops;
    const stored::Loops& loops = file.loops();
    for (const stored::Loop& stored : loops.loops()) {
        SourceLoop loop;
        loop.function = stored.function();
        loop.file = stored.file();
        loop.line = stored.line();
        loop.thread = stored.thread();
        loop.threads = std::max(stored.threads(), 1u);
        if (stored.is_counted()) loop.count = stored.count();
        loop.why_not = stored.why_not();
        // Outer loops come first.
        require_sound(stored.parent() <= all.loops.size(), "the loop around a loop");
        if (stored.parent() != 0) loop.parent = stored.parent() - 1;
        loop.is_own = stored.is_own();
        loop.begin_ns = stored.begin_ns();
        loop.end_ns = stored.end_ns();
        loop.entries = stored.entries();
        all.loops.push_back(std::move(loop));
    }
    const size_t steps = loops.steps();
    require_sound(steps <= all.loops.size() && (steps == 0 || all.loops[steps - 1].count),
                  "the loop of the steps");
    if (steps != 0) all.steps = steps - 1;
    all.why_none = loops.why_none();
}

}  // namespace memtrace::analyzer
