// SPDX-License-Identifier: Apache-2.0
//
// Starts memtrace-report as a process of its own, which the program never sees: it is not its
// child, sends it no signal, has none of its descriptors, environment and libraries, and takes what
// the program leaves of the processor.
//
//   the program ── clone ──► a child ── clone ──► memtrace-report ── orphan ──► init
//
// Both clones share the memory of the program until they are gone, so nothing of it is copied, and
// the calling thread stands still for about a millisecond. The child between them is there because
// a program that was executed is found by its parent's wait().
#pragma once

namespace memtrace::preload {

// Returns why no helper can be started now, a clause; nullptr if one can be. One thread at a time
// may call it.
const char* why_no_helper();

bool helpers_are_forbidden();
// From now on none is started, because of `why`, a clause.
void forbid_helpers(const char* why);

// Starts `memtrace-report WORD /proc/self/fd/3 NUMBER`, with this descriptor as number 3, where
// why_no_helper() has just found it. Returns false if it could not be started. One thread at a time
// may call it.
bool start_detached_helper(const char* word, int descriptor, const char* number);

}  // namespace memtrace::preload
