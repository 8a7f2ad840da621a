// SPDX-License-Identifier: Apache-2.0
//
// A moment on the clocks of this machine, and the same moment in the ticks of a dump that is being
// written on it.
//
// Everything that was stamped before a moment, and that led to something else that was stamped
// before it, is in the file at that moment: an acquisition is written before the program gets its
// block, and a release before the block can come again. So the events up to a moment, read from the
// file afterwards, contradict each other no more than those of a whole recording.
#pragma once

#include <cstdint>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct Moment {
    uint64_t cycles = 0;        // of the processor's time stamp counter
    uint64_t monotonic_ns = 0;  // CLOCK_MONOTONIC
    uint64_t realtime_ns = 0;   // CLOCK_REALTIME

    static Moment now();

    // Returns the record that the program would write at this moment. `anchor` is one of the same
    // dump.
    Clock record(const FileHeader& header, const Clock& anchor) const;
};

}  // namespace memtrace::analyzer
