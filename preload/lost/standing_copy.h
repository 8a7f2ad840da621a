// SPDX-License-Identifier: Apache-2.0
//
// A copy of this process that stands still: a forked child that runs nothing of the program, and
// starts the reporter, which reads the copy's memory. When the reporter has ended, so does the
// copy.
//
//   the program ── clone ──► the copy ── fork, exec ──► memtrace-report
//
// The program never sees them: the copy sends no signal when it ends, and wait() does not find it.
// The copy blocks all signals and closes all descriptors but two, the memory file of the request
// (3) and the dump (4). The program stands still for as long as the kernel takes to copy its page
// tables.
//
// A reporter whose parent has ended would come to the program itself if that is process 1 of its
// container or takes orphans, and send it SIGCHLD. So the reporter ends first, always: the copy
// waits for it, and where memory runs out the kernel takes the reporter first.
#pragma once

#include <cstdint>

#include "memtrace/dump/lost_request.h"

namespace memtrace::preload {

struct StandingCopy {
    long pid = 0;                    // at most 0: the error, negated
    LostRequest* request = nullptr;  // mapped, and shared with the copy

    // False if there is no reporter.
    static bool can_be_made();
    // Makes the copy. `polite`: copy and reporter take what the program leaves of the processor.
    static StandingCopy make(LostRequest& request, int request_descriptor, int dump_descriptor,
                             bool polite);

    // Returns true if the copy has ended, or is gone.
    bool has_ended() const;
    // Waits for that, at most so long. Returns false if it has not ended.
    bool wait(uint64_t nanoseconds) const;
    // Ends the reporter and the copy.
    void stop() const;
};

}  // namespace memtrace::preload
