// SPDX-License-Identifier: Apache-2.0
//
// While it lives, this thread's own writes raise no signal that the program could notice:
//
//   SIGPIPE   nobody reads the pipe or socket any more
//   SIGXFSZ   the file has reached the limit on its size (RLIMIT_FSIZE)
//   SIGTTOU   the terminal belongs to another job, which stops those that write to it
//
// The kernel sends the first two to the thread that writes. They are blocked, and taken away
// afterwards if they were not pending before. A thread that blocks SIGTTOU may write.
#pragma once

#include <signal.h>

#include <cstdint>

#include "preload/base/sys.h"

namespace memtrace::preload {

class HeldSignals {
public:
    HeldSignals() {
        sys::signal_mask(SIG_BLOCK, &held, &before_);
        sys::pending_signals(&pending_);
    }
    ~HeldSignals() {
        const uint64_t ours = raised & ~pending_;
        while (ours != 0 && sys::take_signal(&ours) > 0) {
        }
        sys::signal_mask(SIG_SETMASK, &before_, nullptr);
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

private:
    static constexpr uint64_t raised = uint64_t{1} << (SIGPIPE - 1) | uint64_t{1} << (SIGXFSZ - 1);
    static constexpr uint64_t held = raised | uint64_t{1} << (SIGTTOU - 1);

    uint64_t before_ = 0;
    uint64_t pending_ = 0;
};

}  // namespace memtrace::preload
