// SPDX-License-Identifier: Apache-2.0
//
// Keeps a dump within the option max_dump without losing an event. When the dump has grown,
// memtrace-report is started beside the program. It sleeps until it is asked; then it replays what
// the dump has, adds what that amounts to, and gives back the room of the events
// (docs/how/compaction.md). The program goes on meanwhile. If it writes faster than that, the
// recording turns to a sample, as it does where no helper can run.
#pragma once

#include <cstdint>

namespace memtrace::preload {

class ThreadLane;

// Begins with nothing compacted, in the process and in a forked child.
void start_compactions();

// Asks for a compaction if one is due. It never waits for it. Called with each sample of the
// resident set.
[[gnu::noinline]] void go_on_with_compaction(ThreadLane& lane, uint64_t now);

// Writes what happened to compactions and was not written yet. Called before the record of the end.
void note_compactions(ThreadLane& lane, uint64_t now);

// Lets the helper see at once that the recording has ended. Returns true if it may still be writing
// to the dump.
bool end_compactions();

}  // namespace memtrace::preload
