// SPDX-License-Identifier: Apache-2.0
//
// Looks at the memory of the process as the kernel lists it, at a few moments of the run, and
// writes what it found (host_records.h): when the resident set is clearly larger than at the last
// look, when the last look was long ago, and when the program has done its work.
//
// A look takes the kernel a walk of all pages, so its thread is away for milliseconds. It may take
// one part in five hundred of the time. While the resident set grows, looks are few: each sees a
// sixteenth more than the last one. Only the look at the end of the work is always taken.
//
// One thread looks at a time. Others do not wait.
#pragma once

#include <cstdint>

namespace memtrace::preload {

class ThreadLane;

// Begins to count the time, in the process and in a forked child.
void start_host_looks();

// Looks if it is time to. `rss`: the resident set, in bytes.
void look_at_host_if_due(ThreadLane& lane, uint64_t rss, uint64_t now);

// Looks, if this is the first end of the work and the process is not too young.
void look_at_host_when_work_ends(ThreadLane& lane);

// Never looks in this recording again: there are blocks of which it knows nothing.
void leave_out_host_looks();

}  // namespace memtrace::preload
