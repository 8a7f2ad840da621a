// SPDX-License-Identifier: Apache-2.0
//
// The life of a recording: the decision to record this process, its start (also in a forked child,
// at the child's first event), and its end. decide_recording() of recording_state.h is defined
// here.
#pragma once

#include "memtrace/dump/records.h"

namespace memtrace::preload {

// Starts recording, or decides not to. Called by the constructor, or before it by an earlier event.
void start_recording();

// Records that the program has done its work: exit() was called, or main() has returned. Only the
// first call counts.
[[gnu::noinline]] void end_work();

// Records that the program is about to end in the way `kind`. Events may still follow and are
// recorded.
void finish_recording(EndKind kind, int code);

// Called when an exec failed and the program continues.
void resume_recording();

// True if this process is recorded, or could be at once (Recording::asleep).
bool has_recording();

// True in a child that shares this process's memory (vfork). Its end is not the end of this
// process.
bool is_borrowed_memory();

}  // namespace memtrace::preload
