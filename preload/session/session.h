// SPDX-License-Identifier: Apache-2.0
//
// The life of a recording: the decision to record this process, its start (also in a forked child,
// at the child's first event), its end, and its stop after an internal failure.
#pragma once

#include <string_view>

#include "memtrace/dump/records.h"
#include "preload/base/recording_state.h"

namespace memtrace::preload {

// The slow path. Starts the recording of a process that has not decided yet. Counts an event of a
// stopped recording as lost.
bool decide_recording(Recording now);

// Called first by every hook.
inline bool is_recording() {
    const Recording now = recording();
    if (now == Recording::on) [[likely]]
        return true;
    if (now == Recording::off) return false;
    return decide_recording(now);
}

// Starts recording, or decides not to. Called by the constructor, or before it by an earlier event.
void start_recording();

// Records that the program has done its work: exit() was called, or main() has returned. Only the
// first call counts.
void end_work();

// Records that the program is about to end in the way `kind`. Events may still follow and are
// recorded.
void finish_recording(EndKind kind, int code);

// Called when an exec failed and the program continues.
void resume_recording();

// True in a child that shares this process's memory (vfork). Its end is not the end of this
// process.
bool is_borrowed_memory();

// Stops recording after an internal failure. The program continues. Reports it on stderr and in the
// dump.
void stop_recording(std::string_view why);

}  // namespace memtrace::preload
