// SPDX-License-Identifier: Apache-2.0
//
// Filters of system calls (seccomp) that the program puts on itself. A filter that would end the
// program at a call of the shim must not meet one: the recording stops before the filter is set.
// Filters of a parent process, and those set by a bare system call, are not seen.
#pragma once

struct sock_fprog;

namespace memtrace::preload {

// Called before the program sets a filter for system calls; nullptr for the strict mode, in which
// hardly any call is left. Stops the recording if the filter would not let the shim's calls go on.
// A filter that cannot be read is the kernel's matter: it refuses it.
void before_filter(const sock_fprog* filter);

// Returns true if a filter was set under which no recording can begin.
bool no_recording_can_begin();

}  // namespace memtrace::preload
