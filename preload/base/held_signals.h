// SPDX-License-Identifier: Apache-2.0
//
// Signals of this thread that wait for a moment. HeldSignals is for writes: while it lives, they
// raise no signal that the program could notice:
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

inline constexpr uint64_t signal_bit(int number) { return uint64_t{1} << (number - 1); }

// All signals, except those of faults, which cannot wait.
inline constexpr uint64_t signals_that_can_wait =
    ~(signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) | signal_bit(SIGILL) |
      signal_bit(SIGTRAP) | signal_bit(SIGSYS));

// Blocks the signals of a set while it lives.
class BlockedSignals {
public:
    explicit BlockedSignals(uint64_t set) { sys::signal_mask(SIG_BLOCK, &set, &before_); }
    ~BlockedSignals() { sys::signal_mask(SIG_SETMASK, &before_, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

private:
    uint64_t before_ = 0;
};

class HeldSignals {
public:
    HeldSignals() { sys::pending_signals(&pending_); }
    // The signals are unblocked after this.
    ~HeldSignals() {
        const uint64_t ours = raised & ~pending_;
        while (ours != 0 && sys::take_signal(&ours) > 0) {
        }
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

private:
    static constexpr uint64_t raised = signal_bit(SIGPIPE) | signal_bit(SIGXFSZ);

    const BlockedSignals blocked_{raised | signal_bit(SIGTTOU)};
    uint64_t pending_ = 0;
};

}  // namespace memtrace::preload
