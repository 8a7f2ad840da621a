// SPDX-License-Identifier: Apache-2.0
//
// Begins a recording, or goes on with it, when a process that sleeps was asked to
// (recording_switch.h). Everything that a recording meets at its first event, such as threads,
// modules and the interpreter, is met then.
#pragma once

namespace memtrace::preload {

// Called by a thread with an event in a process that sleeps. Returns true if the process records
// now because of this call.
bool wake_if_asked();

}  // namespace memtrace::preload
