// SPDX-License-Identifier: Apache-2.0
//
// Searches for blocks that nothing points to any more. The shim has no table of live blocks, so it
// only makes a copy of the process (standing_copy.h) and asks the reporter; the answer becomes
// records of the dump (lost_records.h).
//
// A copy is no picture of one instant for other threads: what they have in registers is not in it.
// So if other threads are alive, a second copy is made a second later, and a block is lost only if
// both say so.
//
// One search is under way at a time.
#pragma once

#include <cstdint>

#include "memtrace/dump/lost_records.h"
#include "preload/lost/caller_state.h"

namespace memtrace::preload {

class ThreadLane;

// What a search has found that had time to end.
struct LostSums {
    bool is_known = false;
    uint64_t definitely = 0;  // blocks
    uint64_t indirectly = 0;
    uint64_t possibly = 0;
};

// Begins to count the time, in the process and in a forked child.
void start_lost_searches();

// Searches now, and waits for the answer.
LostSums search_lost_now(ThreadLane& lane, LostCause cause, const CallerState& caller);

// Does what is due: begins a search that was asked for or whose time has come, and writes the
// answer of one that has ended. It never waits. Called with each sample of the resident set.
[[gnu::noinline]] void go_on_with_lost_search(ThreadLane& lane, uint64_t now);

// Writes the answer of a search that is under way, or gives it up if that takes too long. Called
// before the process ends. `may_wait`: it has a moment left.
void end_lost_search(ThreadLane& lane, bool may_wait);

}  // namespace memtrace::preload
