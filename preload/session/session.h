// SPDX-License-Identifier: Apache-2.0
//
// The life of a recording: whether this process is recorded, its start (also in a forked child, at
// the child's first event) and its end. decide_recording() of recording_state.h is defined here.
#pragma once

#include "memtrace/dump/records.h"

namespace memtrace::preload {

// Starts, or decides not to. Called by the constructor; an earlier event calls it first.
void start_recording();

// The program has done its work: exit() was called, or main() has returned. The first call counts.
void end_work();

// The program is about to end as `kind` says. Events may still follow and are recorded.
void finish_recording(EndKind kind, int code);

// An exec failed: the program goes on after all.
void resume_recording();

// True in a child that shares our memory (vfork): what it does to itself is not our end.
bool is_borrowed_memory();

}  // namespace memtrace::preload
